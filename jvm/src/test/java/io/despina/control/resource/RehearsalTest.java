package io.despina.control.resource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.buffer.Budget;
import io.despina.buffer.SegmentPool;
import io.despina.control.assembly.JobOptions;
import io.despina.control.assembly.JobPlan;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.StatePlace;
import io.despina.link.Attempt;
import io.despina.runtime.host.Resource;
import io.despina.snapshot.LocalStore;
import io.despina.snapshot.Manifest;
import io.despina.snapshot.ManifestDraft;
import io.despina.snapshot.SnapshotStores;
import io.despina.snapshot.StateFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class RehearsalTest {
    private static final int KEYS = 2_000;
    private static final String COUNTED = """
            {"format": 1, "name": "counted",
             "operators": {
               "source": {"type": "generator_source", "count": %d, "rows": {"type": "select", "select": ["id"]}},
               "fold": {"type": "aggregate", "group_by": ["id"], "emit": "each", "select": ["id", "count(*) AS n"]},
               "sink": {"type": "discard_sink"}},
             "links": [{"from": "source", "to": "fold"}, {"from": "fold", "to": "sink"}]}
            """.formatted(KEYS);
    private static final Attempt ATTEMPT = Attempt.first("counted");

    @TempDir
    Path folder;

    private final StateStores stores = new StateStores(address -> SnapshotStores.at(address, Map.of()), Runnable::run);

    @Test
    void itRestoresWhatOperatorsKeepAndChangesNothing() throws Exception {
        Message.Deploy deploy = deploy();
        assertEquals(0, new Rehearsal(deploy, stores).run("local"), "no epoch yet");
        epoch(deploy);
        List<String> before = files();
        long restored = new Rehearsal(deploy.from(1), stores).run("local");
        assertTrue(restored >= KEYS, restored + " entries");
        assertEquals(before, files());
    }

    @Test
    void itEndsWhenThereIsWorkInEarnest() throws Exception {
        Message.Deploy deploy = deploy();
        epoch(deploy);
        Rehearsal rehearsal = new Rehearsal(deploy.from(1), stores);
        rehearsal.end();
        assertEquals(0, rehearsal.run("local"));
    }

    private Message.Deploy deploy() throws Exception {
        JobOptions options = JobOptions.parse("{}", System::currentTimeMillis);
        JobPlan planned = JobPlan.of(COUNTED, "test", options).value();
        return new Message.Deploy(ATTEMPT, COUNTED, "test", Map.of(), null, options.directory(), List.of(), Map.of(), List.of(),
                Map.of(), planned.digest(), 1 << 20, planned.answers(), options.instantMicros(), null, null,
                new StatePlace(folder.toString(), "counted", 0, false, List.of()), null, null);
    }

    /** Runs the job in a resource of its own until its input is processed, and writes an epoch. */
    private Manifest epoch(Message.Deploy deploy) throws Exception {
        BlockingQueue<Message> told = new LinkedBlockingQueue<>();
        Resource runtime = Resource.open(2, new SegmentPool(new Budget(8 << 20)), null, System::nanoTime);
        try {
            JobAgent.Host host = new JobAgent.Host("local", runtime, System::nanoTime, null, stores,
                    PythonPolicy.AS_ASKED);
            JobAgent agent = new JobAgent(ATTEMPT, host, told::add);
            agent.handle(deploy);
            agent.handle(new Message.Start(ATTEMPT));
            await(told, Message.Settled.class);
            agent.handle(new Message.Barrier(ATTEMPT, 1, 0));
            Message.Frozen frozen = await(told, Message.Frozen.class);
            agent.handle(new Message.Stop(ATTEMPT, Message.Stop.ABORT, 0));
            await(told, Message.Finished.class);
            Manifest.Origin origin = new Manifest.Origin("test", "counted", "", "", 256, 0, Map.of(), Map.of());
            ManifestDraft draft = new ManifestDraft(origin, 1, 1);
            draft.add(frozen.written());
            frozen.instances().forEach(each -> draft.add(each.operator(), each.instance(),
                    new ManifestDraft.InstanceFacts(each.ended(), each.watermark(), each.counters(), List.of())));
            return StateFolder.at(new LocalStore(folder), "counted").complete(draft.whole(Map.of("source", "generator_source",
                    "fold", "aggregate", "sink", "discard_sink"), 0)).manifest();
        } finally {
            runtime.close();
        }
    }

    private static <T extends Message> T await(BlockingQueue<Message> told, Class<T> wanted) throws InterruptedException {
        while (true) {
            Message next = told.take();
            if (wanted.isInstance(next)) {
                return wanted.cast(next);
            }
        }
    }

    private List<String> files() throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.map(Path::toString).sorted().toList();
        }
    }
}
