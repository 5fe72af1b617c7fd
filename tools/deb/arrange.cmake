# Runs on the staged trees before they are packed: what Debian wants elsewhere, compressed, and without debug symbols.
set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY})
file(RENAME ${root}/daemon/usr/etc ${root}/daemon/etc)
file(GLOB texts ${root}/daemon/usr/share/man/man*/* ${root}/*/usr/share/doc/*/changelog*)
list(LENGTH texts count)
if(count LESS 6)
    message(FATAL_ERROR "found only ${count} manual pages and changelogs below ${root}")
endif()
execute_process(COMMAND gzip -9n ${texts} COMMAND_ERROR_IS_FATAL ANY)
# CPACK_STRIP_FILES knows programs and shared libraries only.
file(GLOB_RECURSE archives ${root}/development/*.a)
if(archives)
    execute_process(COMMAND strip --strip-debug --enable-deterministic-archives ${archives} COMMAND_ERROR_IS_FATAL ANY)
endif()
