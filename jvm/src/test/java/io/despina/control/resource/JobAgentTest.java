package io.despina.control.resource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.buffer.Budget;
import io.despina.buffer.SegmentPool;
import io.despina.control.assembly.JobOptions;
import io.despina.control.assembly.JobPlan;
import io.despina.control.protocol.Measurement;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.StatePlace;
import io.despina.json.Json;
import io.despina.link.Attempt;
import io.despina.link.ChannelId;
import io.despina.link.ChannelOptions;
import io.despina.link.ChannelReceiver;
import io.despina.link.ChannelSender;
import io.despina.link.Inbox;
import io.despina.metrics.LinkCounters;
import io.despina.placement.Deployment;
import io.despina.runtime.host.Resource;
import io.despina.runtime.host.ResourceOptions;
import io.despina.runtime.task.JobLinks;
import io.despina.runtime.worker.ThreadWorkers;
import io.despina.runtime.worker.WorkerOptions;
import io.despina.snapshot.FakeStore;
import io.despina.wire.FailureListener;
import io.despina.wire.IoLoop;
import io.despina.wire.Network;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a resource tells of a job, and when. */
@Timeout(60)
class JobAgentTest {
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
    private final AtomicLong clock = new AtomicLong();
    private final JobAgent job = new JobAgent(Attempt.first("one"),
            new JobAgent.Host(Deployment.LOCAL, resource, clock::get, null, new StateStores(null, Runnable::run),
                    PythonPolicy.AS_ASKED), told::add);

    @AfterEach
    void end() {
        job.forget();
        resource.close();
    }

    @Test
    void whatItCountsIsToldWhenItIsAsked() throws Exception {
        start();
        Measurement last;
        do {
            last = asked();
        } while (last.job().operators().get("sink").packetsIn() < 200);
        assertEquals(200, last.job().operators().get("sink").packetsIn());
        assertTrue(told.isEmpty(), told.toString());
    }

    @Test
    void latenciesAndWhatTheProcessHasUsedAreToldNowAndThen() throws Exception {
        start();
        assertNotNull(asked().process());
        Measurement counts;
        do {
            counts = asked();
            assertNull(counts.process());
        } while (counts.job().operators().get("sink").packetsIn() < 200);
        assertTrue(counts.job().latency().isEmpty());

        clock.addAndGet(JobReports.WHOLE_NANOS);
        Measurement whole = asked();
        assertNotNull(whole.process());
        assertEquals(200, whole.job().latency().values().stream().mapToLong(h -> h.getTotalCount()).sum());
        assertNull(asked().process());
    }

    @Test
    void afterTheWarmUpTheFirstReportIsWhole() throws Exception {
        start();
        while (asked().job().operators().get("sink").packetsIn() < 200) {
            Thread.onSpinWait();
        }
        job.handle(new Message.Measure(Attempt.first("one")));
        Measurement anew = asked();
        assertNotNull(anew.process());
        assertEquals(0, anew.job().operators().get("sink").packetsIn());
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

    @Test
    void aChannelThatBreaksBeforeTheStartIsToldAloneAndOnce() throws Exception {
        BreakingNetwork network = new BreakingNetwork();
        ResourceOptions options = new ResourceOptions(new ThreadWorkers(WorkerOptions.of(1), null, clock::get),
                new JobLinks.Shared(new SegmentPool(new Budget(8 << 20)), network, clock::get));
        PrintStream before = System.err;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        try (Resource breaking = new Resource(options)) {
            JobAgent broken = new JobAgent(Attempt.first("one"),
                    new JobAgent.Host("b", breaking, clock::get, null, new StateStores(null, Runnable::run),
                    PythonPolicy.AS_ASKED), told::add);
            broken.handle(deployed(BURST, """
                    {"format": 1, "resources": {"a": {}, "b": {}}, "place": {"source": ["a"], "sink": ["b"]}}"""));
            assertTrue(told.remove() instanceof Message.Ready);
            network.breakChannel("connection reset");
            System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
            broken.handle(new Message.Start(Attempt.first("one")));
        } finally {
            System.setErr(before);
        }
        assertEquals(Message.Failed.CHANNEL, ((Message.Failed) told.remove()).rule());
        assertTrue(told.remove() instanceof Message.Counters);
        assertTrue(told.remove() instanceof Message.Finished);
        assertTrue(told.isEmpty(), told.toString());
        assertEquals("", printed.toString(StandardCharsets.UTF_8));
    }

    /** A job that keeps its state, deployed where the disk never writes. */
    private JobAgent slow() throws Exception {
        JobAgent slow = new JobAgent(Attempt.first("one"),
                new JobAgent.Host(Deployment.LOCAL, resource, clock::get, null,
                        new StateStores(address -> new FakeStore(), neverWrites -> { }), PythonPolicy.AS_ASKED), told::add);
        slow.handle(deployed(BURST, null, new StatePlace("fake", "burst", 0, true, List.of())));
        assertTrue(told.remove() instanceof Message.Ready);
        return slow;
    }

    @Test
    void whoHoldsUpACommitIsToldThoughNoBarrierComes() throws Exception {
        JobAgent slow = slow();
        slow.handle(new Message.Complete(Attempt.first("one"), 7, false));
        for (int k = 0; k < 4; k++) {
            slow.handle(new Message.Count(Attempt.first("one")));
        }
        told.removeIf(Message.Counters.class::isInstance);
        assertEquals(List.of(new Message.Behind(Attempt.first("one"), 7, "operator `source` and 1 other")), List.copyOf(told),
                "its tasks do not run; that is said once, and not at the first look");
        slow.forget();
    }

    @Test
    void whoHoldsUpAnEpochThatIsDroppedIsTold() throws Exception {
        JobAgent slow = slow();
        slow.handle(new Message.Start(Attempt.first("one")));
        slow.handle(new Message.Barrier(Attempt.first("one"), 1, 0));
        slow.handle(new Message.Drop(Attempt.first("one"), 1));
        assertEquals(new Message.Behind(Attempt.first("one"), 1, "operator `source` and 1 other"), told.remove());
        slow.handle(new Message.Drop(Attempt.first("one"), 1));
        assertTrue(told.isEmpty(), "it is told once");
        slow.forget();
    }

    /** A network that has one channel which ends here, and no other resource. */
    private static final class BreakingNetwork implements Network {
        private ChannelId id;
        private FailureListener listener;

        @Override
        public ChannelReceiver receiver(ChannelId channel, ChannelOptions options, FailureListener failure, IoLoop loop) {
            id = channel;
            listener = failure;
            return new Inbox(options.bounds(), options.queueTargetNanos(), () -> 0);
        }

        void breakChannel(String reason) {
            listener.failed(id, reason);
        }

        @Override
        public ChannelSender sender(ChannelId channel, To to, ChannelOptions options, LinkCounters.WireCounters counters,
                FailureListener failure) {
            throw new IllegalStateException(channel + " does not begin here");
        }

        @Override
        public void whenSent(Attempt attempt, Runnable done) {
            done.run();
        }

        @Override
        public void release(Attempt attempt) {
        }
    }

    private Measurement asked() {
        job.handle(new Message.Count(Attempt.first("one")));
        return ((Message.Counters) told.remove()).counters();
    }

    private void start() throws Exception {
        start(BURST);
    }

    private static Message.Deploy deployed(String graph, String deployment) throws Exception {
        return deployed(graph, deployment, null);
    }

    /** @param deployment and the place of its state: null for none */
    private static Message.Deploy deployed(String graph, String deployment, StatePlace state) throws Exception {
        JobOptions options = JobOptions.parse(Json.object().put("deployment_text", deployment).toString(),
                System::currentTimeMillis);
        JobPlan planned = JobPlan.of(graph, "test", options).value();
        return new Message.Deploy(Attempt.first("one"), graph, "test", Map.of(), deployment, options.directory(), List.of(),
                Map.of(), List.of(), Map.of("a", "127.0.0.1:1", "b", "127.0.0.1:2"),
                planned.digest(), 1 << 20, planned.answers(), options.instantMicros(), null, null, state, null, null);
    }

    private void start(String graph) throws Exception {
        job.handle(deployed(graph, null));
        assertTrue(told.remove() instanceof Message.Ready);
        job.handle(new Message.Start(Attempt.first("one")));
    }
}
