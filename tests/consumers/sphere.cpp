#include "sphere.inl"

int main() { return fuse_sphere<cutsdf::space::host>({}); }
