package io.despina.compare.nexmark;

import com.sun.management.OperatingSystemMXBean;
import io.despina.compare.Presence;
import io.despina.compare.Settings;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The runs of one query in one process: over few events, with its rows written; over a part of the events, twice; over all of
 * them. The last two are timed. They begin when the harness has compared the rows (file {@code compared}), which takes no
 * processor time from them, and when the part has run once: its compiling would else be in the part alone, and the difference
 * of the two would be short of it. Each leaves a file that tells its seconds, its processor time, and how much memory there was
 * at most; the last one is {@code whole.json}.
 */
public final class Runs {
    private static final double NANOS = 1e9;
    private static final long LOOK_MS = 20;
    private static final OperatingSystemMXBean SYSTEM = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private Runs() {
    }

    /** A query over so many events. */
    public interface Query {
        /** Runs to its end; rows become JSON lines at {@code rows}, or are thrown away if that is null. */
        void run(long events, Path rows) throws Exception;
    }

    /** Makes them all; what goes wrong is told in the file {@code failed}. */
    public static void all(Settings settings, Query query) {
        Presence.announce(settings, "query");
        try {
            boolean shown = settings.text("rows").equals("true");
            once(settings, "check", settings.number("checked"), query, shown ? settings.folder().resolve("rows") : null);
            awaitComparison(settings);
            query.run(settings.number("part"), null);
            once(settings, "part", settings.number("part"), query, null);
            once(settings, "whole", settings.number("events"), query, null);
        } catch (Throwable e) {       // threads of the engine would keep a process that says nothing
            StringWriter trace = new StringWriter();
            e.printStackTrace(new PrintWriter(trace));
            Presence.write(settings, "failed", trace.toString());
            System.exit(1);
        }
    }

    private static void once(Settings settings, String name, long events, Query query, Path rows) throws Exception {
        long cpu = SYSTEM.getProcessCpuTime();
        long began = System.nanoTime();
        query.run(events, rows);
        double seconds = (System.nanoTime() - began) / NANOS;
        Presence.write(settings, name + ".json", "{\"events\": " + events + ", \"seconds\": " + seconds + ", \"cpu_s\": "
                + (SYSTEM.getProcessCpuTime() - cpu) / NANOS + ", \"peak_kb\": " + peakKilobytes() + "}");
    }

    private static void awaitComparison(Settings settings) throws InterruptedException {
        while (!Files.exists(settings.folder().resolve("compared"))) {
            Thread.sleep(LOOK_MS);
        }
    }

    /** The most memory that this process has had resident. */
    private static long peakKilobytes() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmHWM:")) {
                return Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        throw new IOException("no VmHWM in /proc/self/status");
    }
}
