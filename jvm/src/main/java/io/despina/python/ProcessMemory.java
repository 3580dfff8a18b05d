package io.despina.python;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What memory a process has, as Linux tells it. */
final class ProcessMemory {
    private static final Pattern RESIDENT = Pattern.compile("^VmRSS:\\s+(\\d+) kB$", Pattern.MULTILINE);
    private static final long KB = 1 << 10;

    private ProcessMemory() {
    }

    /** Resident bytes; -1 if the process has ended, or the system has no /proc. */
    static long bytes(long pid) {
        try {
            Matcher found = RESIDENT.matcher(Files.readString(Path.of("/proc", Long.toString(pid), "status")));
            return found.find() ? Long.parseLong(found.group(1)) * KB : -1;
        } catch (IOException none) {
            return -1;
        }
    }
}
