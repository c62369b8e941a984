#include "link_other.inl"
