# Install rules, and the same package files in the build tree: find_package(cutsdf) works with either.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# All of it is text that fits every architecture, hence share/ and not lib/.
set(package_dir ${CMAKE_INSTALL_DATADIR}/cmake/cutsdf)

install(TARGETS cutsdf EXPORT cutsdfTargets)
install(DIRECTORY include/cutsdf DESTINATION include)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(
  EXPORT cutsdfTargets
  NAMESPACE cutsdf::
  DESTINATION ${package_dir})
export(
  EXPORT cutsdfTargets
  NAMESPACE cutsdf::
  FILE ${PROJECT_BINARY_DIR}/cutsdfTargets.cmake)

configure_package_config_file(cmake/cutsdfConfig.cmake.in ${PROJECT_BINARY_DIR}/cutsdfConfig.cmake
                              INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a new minor version may break what an older one promised.
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/cutsdfConfigVersion.cmake
  COMPATIBILITY SameMinorVersion
  ARCH_INDEPENDENT)
configure_file(cmake/cutsdfLanguage.cmake ${PROJECT_BINARY_DIR}/cutsdfLanguage.cmake COPYONLY)
install(FILES ${PROJECT_BINARY_DIR}/cutsdfConfig.cmake ${PROJECT_BINARY_DIR}/cutsdfConfigVersion.cmake
              ${PROJECT_BINARY_DIR}/cutsdfLanguage.cmake DESTINATION ${package_dir})
unset(package_dir)
