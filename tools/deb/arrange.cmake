# Runs on the staged tree before it is packed: what Debian wants elsewhere, and compressed.
set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY})
file(RENAME ${root}/usr/etc ${root}/etc)
file(GLOB texts ${root}/usr/share/man/man*/* ${root}/usr/share/doc/durabilityd/changelog*)
list(LENGTH texts count)
if(count LESS 6)
    message(FATAL_ERROR "found only ${count} manual pages and changelogs below ${root}")
endif()
execute_process(COMMAND gzip -9n ${texts} COMMAND_ERROR_IS_FATAL ANY)
