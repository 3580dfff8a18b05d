package io.despina.metrics;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** What this process has used, from the JVM's beans and {@code /proc/self}; what a platform does not provide is 0. */
public final class ProcessCounters {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final Path PROC = Path.of("/proc/self");
    private static final int MOST_STATUS = 8 << 10;

    private ProcessCounters() {
    }

    public static ResourceSnapshot snapshot() {
        return new ResourceSnapshot(cpuNanos() / NANOS_PER_SECOND, gcMillis(), allocatedBytes(), maxMemoryBytes(),
                contextSwitches());
    }

    /** What takes no time to find out. */
    public static ProcessUse use() {
        return new ProcessUse(cpuNanos() / NANOS_PER_SECOND, fields(PROC.resolve("status"), "VmRSS:") * 1024);
    }

    private static long cpuNanos() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean os
                ? Math.max(0, os.getProcessCpuTime()) : 0;
    }

    private static long gcMillis() {
        long sum = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            sum += Math.max(0, collector.getCollectionTime());
        }
        return sum;
    }

    /** By live threads: what a thread allocated is lost with the thread. */
    private static long allocatedBytes() {
        if (!(ManagementFactory.getThreadMXBean() instanceof com.sun.management.ThreadMXBean threads)) {
            return 0;
        }
        long sum = 0;
        for (long bytes : threads.getThreadAllocatedBytes(threads.getAllThreadIds())) {
            sum += Math.max(0, bytes);
        }
        return sum;
    }

    private static long maxMemoryBytes() {
        return fields(PROC.resolve("status"), "VmHWM:") * 1024;
    }

    private static long contextSwitches() {
        long sum = 0;
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(PROC.resolve("task"))) {
            for (Path thread : threads) {
                sum += fields(thread.resolve("status"), "\nvoluntary_ctxt_switches:", "\nnonvoluntary_ctxt_switches:");
            }
        } catch (IOException | DirectoryIteratorException noProc) {
            return sum;
        }
        return sum;
    }

    /** The sum of the named fields; a thread that has just ended has none. */
    private static long fields(Path status, String... names) {
        String text;
        try (InputStream in = new FileInputStream(status.toFile())) {
            text = new String(in.readNBytes(MOST_STATUS), StandardCharsets.ISO_8859_1);
        } catch (IOException gone) {
            return 0;
        }
        long sum = 0;
        for (String name : names) {
            int at = text.indexOf(name);
            sum += at < 0 ? 0 : number(text, at + name.length());
        }
        return sum;
    }

    private static long number(String text, int from) {
        int start = from;
        while (start < text.length() && Character.isWhitespace(text.charAt(start))) {
            start++;
        }
        int end = start;
        while (end < text.length() && Character.isDigit(text.charAt(end))) {
            end++;
        }
        return end == start ? 0 : Long.parseLong(text, start, end, 10);
    }
}
