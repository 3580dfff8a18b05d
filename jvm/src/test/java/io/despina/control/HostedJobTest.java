package io.despina.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.buffer.Budget;
import io.despina.buffer.SegmentPool;
import io.despina.runtime.Resource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a resource tells of a job, and when. Reports are asked for here, by no clock. */
@Timeout(60)
class HostedJobTest {
    /** So many looks without a report are not between two reports of a job that works. */
    private static final int QUIET = 20;
    /** Looks from one report of an idle job to the next. */
    private static final int IDLE_LOOKS = 120;
    /** A tenth of a second of packets, then none for an hour. */
    private static final String BURST = """
            {"format": 1, "name": "burst",
             "operators": {
               "source": {"type": "generator_source", "rows": {"type": "packets", "packet_bytes": 50, "content": "random"},
                          "shape": {"type": "step", "steps": [{"for_ms": 100, "rate_per_s": 2000},
                                    {"for_ms": 3600000, "rate_per_s": 0}, {"for_ms": 1, "rate_per_s": 1}]}},
               "sink": {"type": "discard_sink", "verify": "all"}},
             "links": [{"from": "source", "to": "sink", "fuse": false}]}
            """;

    private final Queue<Message> told = new ConcurrentLinkedQueue<>();
    private final Resource resource = Resource.open(2, new SegmentPool(new Budget(8 << 20)), null, System::nanoTime);
    private final HostedJob job = new HostedJob("one", LocalMember.NAME, resource, told::add);

    @AfterEach
    void end() {
        job.forget();
        resource.close();
    }

    @Test
    void whatAJobDidLastIsToldWholeBeforeItFallsSilent() throws Exception {
        start();
        Measurement last = untilQuiet();

        assertNotNull(last.process());
        assertEquals(200, last.job().operators().get("sink").packetsIn());
        assertEquals(200, last.job().latency().values().stream().mapToLong(h -> h.getTotalCount()).sum());
    }

    @Test
    void anIdleJobIsToldOfNowAndThen() throws Exception {
        start();
        Measurement last;
        Measurement quiet;
        do {    // again, if on a busy machine a task was late to run
            told.clear();
            last = untilQuiet();
            for (int look = QUIET; look < 3 * IDLE_LOOKS; look++) {
                job.report();
            }
            quiet = ((Message.Counters) told.peek()).counters();
        } while (runs(quiet) != runs(last));
        assertEquals(2, told.size());
        told.forEach(message -> assertNotNull(((Message.Counters) message).counters().process()));
    }

    @Test
    void aFailedJobHasFinishedWhenItsSinksHaveDroppedWhatTheyWrote(@TempDir Path folder) throws Exception {
        start("""
                {"format": 1, "name": "broken",
                 "operators": {
                   "source": {"type": "file_source", "path": "%1$s/none", "format": "text"},
                   "sink": {"type": "file_sink", "path": "%1$s/out", "format": "text"}},
                 "links": [{"from": "source", "to": "sink"}]}
                """.formatted(folder));
        while (!(told.peek() instanceof Message.Failed)) {
            Thread.onSpinWait();
        }
        told.remove();
        Message last = null;
        while (!(last instanceof Message.Finished)) {
            last = told.poll();
            Thread.onSpinWait();
        }
        assertFalse(Files.exists(folder.resolve("out")));
        assertTrue(told.isEmpty(), told.toString());
    }

    private static long runs(Measurement measured) {
        return measured.job().operators().values().stream().mapToLong(o -> o.runs()).sum();
    }

    private void start() throws Exception {
        start(BURST);
    }

    private void start(String graph) throws Exception {
        JobOptions options = JobOptions.parse("{}");
        Planned planned = Planned.of(graph, "test", options).value();
        job.handle(new Message.Deploy("one", "", graph, "test", Map.of(), null, options.directory(), Map.of(), planned.digest(), 1 << 20,
                planned.answers()));
        assertTrue(told.remove() instanceof Message.Ready);
        job.handle(new Message.Start("one"));
    }

    /** Looks until there is nothing more to tell; the last report. */
    private Measurement untilQuiet() {
        Measurement last = null;
        for (int quiet = 0; quiet < QUIET || last.job().operators().get("sink").packetsIn() < 200; quiet++) {
            job.report();
            while (!told.isEmpty()) {
                last = ((Message.Counters) told.remove()).counters();
                quiet = 0;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
        return last;
    }
}
