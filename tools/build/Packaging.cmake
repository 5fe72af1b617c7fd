# Where everything beside the two programs is installed, and the Debian packages (tools/package): the component
# `daemon` is durabilityd, the component `development` is libdurability-dev.
set(durabilityd_doc_dir ${CMAKE_INSTALL_DATADIR}/doc/durabilityd)

install(FILES systemd/durabilityd.service DESTINATION lib/systemd/system)
install(FILES systemd/durabilityd.catalog DESTINATION lib/systemd/catalog)
install(FILES systemd/durabilityd.sysusers.conf DESTINATION lib/sysusers.d RENAME durabilityd.conf)
foreach(program durabilityd durabilityctl)
    install(FILES tools/completion/${program}.bash
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ${program})
endforeach()
foreach(section 1 5 7 8)
    file(GLOB pages CONFIGURE_DEPENDS man/*.${section})
    install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_DATADIR}/man/man${section})
endforeach()
install(FILES config/durabilityd.yaml DESTINATION ${CMAKE_INSTALL_SYSCONFDIR}/durabilityd)
install(DIRECTORY DESTINATION ${CMAKE_INSTALL_SYSCONFDIR}/durabilityd/conf.d)
file(GLOB examples CONFIGURE_DEPENDS systemd/examples/*.conf config/examples/*.yaml)
install(FILES ${examples} DESTINATION ${durabilityd_doc_dir}/examples)
install(FILES README.md tools/deb/copyright DESTINATION ${durabilityd_doc_dir})
install(FILES CHANGELOG.md DESTINATION ${durabilityd_doc_dir} RENAME changelog)

# The library: archive, headers, CMake package, pkg-config file, example (lib/example).
set(durability_doc_dir ${CMAKE_INSTALL_DATADIR}/doc/libdurability-dev)
set(durability_lib_dir ${CMAKE_INSTALL_LIBDIR})
if(CMAKE_LIBRARY_ARCHITECTURE AND EXISTS /etc/debian_version)
    # Where Debian looks, whatever the prefix is.
    set(durability_lib_dir lib/${CMAKE_LIBRARY_ARCHITECTURE})
endif()
set(durability_cmake_dir ${durability_lib_dir}/cmake/durability)
install(TARGETS durability EXPORT durability ARCHIVE DESTINATION ${durability_lib_dir} COMPONENT development)
install(DIRECTORY lib/include/durability DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(EXPORT durability NAMESPACE durability:: FILE durabilityTargets.cmake DESTINATION ${durability_cmake_dir}
        COMPONENT development)
include(CMakePackageConfigHelpers)
configure_package_config_file(tools/build/durabilityConfig.cmake.in ${CMAKE_BINARY_DIR}/install/durabilityConfig.cmake
    INSTALL_DESTINATION ${durability_cmake_dir} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change what a program is compiled against.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/install/durabilityConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/install/durabilityConfig.cmake
              ${CMAKE_BINARY_DIR}/install/durabilityConfigVersion.cmake
        DESTINATION ${durability_cmake_dir} COMPONENT development)
file(RELATIVE_PATH durability_pc_prefix /${durability_lib_dir}/pkgconfig /)
string(REGEX REPLACE "/$" "" durability_pc_prefix "${durability_pc_prefix}")
configure_file(tools/build/durability.pc.in ${CMAKE_BINARY_DIR}/install/durability.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/install/durability.pc DESTINATION ${durability_lib_dir}/pkgconfig COMPONENT development)
install(FILES lib/example/main.cpp lib/example/CMakeLists.txt DESTINATION ${durability_doc_dir}/examples
        COMPONENT development)
install(FILES tools/deb/copyright DESTINATION ${durability_doc_dir} COMPONENT development)
install(FILES CHANGELOG.md DESTINATION ${durability_doc_dir} RENAME changelog COMPONENT development)

# A package holds the programs and the library, which are built before; it need not wait for every test as well.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

set(DURABILITYD_MAINTAINER "durabilityd maintainers <maintainers@durabilityd.invalid>" CACHE STRING
    "Maintainer field of the Debian package: who builds and hands it on")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME durabilityd)
set(CPACK_PACKAGE_VENDOR durabilityd)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL daemon development)
set(CPACK_COMPONENTS_GROUPING IGNORE)
# Each package has a synopsis of its own, in the first line of its description.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(CPACK_DEBIAN_DAEMON_PACKAGE_NAME durabilityd)
set(CPACK_DEBIAN_DAEMON_DESCRIPTION
"durability service for DDS and ROS 2
Records what DDS writers publish with durability TRANSIENT or PERSISTENT,
and what rules name of TRANSIENT_LOCAL topics, and gives it to readers that
come late: after the writer has ended, and after the service or the machine
was restarted. Works with every DDS implementation that speaks RTPS, such as
Cyclone DDS and Fast DDS, without a change to the programs.

This package holds the daemon, durabilityctl to look into it and after its
store, and the manual.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libdurability-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libexpected-dev, libfmt-dev, libmd-dev, libyaml-cpp-dev")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
"durability service for DDS and ROS 2, to be built into other programs
Lets a C++ program do by itself what the daemon durabilityd does: record what
DDS writers publish with durability TRANSIENT or PERSISTENT, or what it names
of TRANSIENT_LOCAL topics, and give it to readers that come late.

This package holds the static library, its headers, files for CMake and
pkg-config, and an example.")
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/tools/deb/arrange.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${DURABILITYD_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_DAEMON_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_DAEMON_PACKAGE_DEPENDS "systemd | systemd-standalone-sysusers | systemd-sysusers")
set(CPACK_DEBIAN_DAEMON_PACKAGE_CONTROL_STRICT_PERMISSION ON)
foreach(file postinst prerm postrm conffiles)
    list(APPEND CPACK_DEBIAN_DAEMON_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/tools/deb/${file})
endforeach()
# The Debian changelog carries the version of the packages.
string(TIMESTAMP durabilityd_build_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(tools/deb/changelog.in ${CMAKE_BINARY_DIR}/changelog.Debian @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/changelog.Debian DESTINATION ${durabilityd_doc_dir})
install(FILES ${CMAKE_BINARY_DIR}/changelog.Debian DESTINATION ${durability_doc_dir} COMPONENT development)
include(CPack)
