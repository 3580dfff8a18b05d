package io.despina.control.resource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.control.assembly.JobOptions;
import io.despina.control.assembly.JobPlan;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Spooling;
import io.despina.link.Attempt;
import io.despina.spool.Spool;
import io.despina.spool.SpoolId;
import io.despina.spool.SpoolRecords;
import io.despina.spool.Spools;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which attempts of a job a resource takes. */
@Timeout(60)
class ResourceAgentTest {
    private static final String ENDLESS = """
            {"format": 1, "name": "endless",
             "operators": {
               "source": {"type": "generator_source", "rows": {"type": "packets", "packet_bytes": 50, "content": "random"}},
               "sink": {"type": "discard_sink"}},
             "links": [{"from": "source", "to": "sink"}]}
            """;
    private static final Attempt FIRST = Attempt.first("one");

    private final BlockingQueue<Message> told = new LinkedBlockingQueue<>();
    private final ResourceAgent agent = ResourceAgent.local("local");

    ResourceAgentTest() {
        agent.speaksTo(told::add);
    }

    @AfterEach
    void end() {
        agent.close(10_000);
    }

    @Test
    void anAttemptBeginsWhenTheOneBeforeWasToldToEndHere() throws Exception {
        deploy(FIRST);
        assertEquals(new Message.Ready(FIRST), told.take());
        deploy(FIRST.next());
        assertRefused(FIRST.next(), "attempt 1 of job one has not ended in resource `local` yet");
        // from here on it may take as long as it will
        agent.received(new Message.Forget(FIRST));
        deploy(FIRST.next());
        Set<Message> all = new HashSet<>();
        while (!all.contains(new Message.Ready(FIRST.next())) || !all.contains(new Message.Finished(FIRST, List.of()))) {
            all.add(told.take());
        }
    }

    @Test
    void anAttemptIsRefusedWhereALaterOneIs() throws Exception {
        deploy(FIRST.next());
        assertEquals(new Message.Ready(FIRST.next()), told.take());
        deploy(FIRST);
        assertRefused(FIRST, "attempt 1 of job one is refused: resource `local` has attempt 2");
        // what it is told to do besides is not done to the later one
        agent.received(new Message.Stop(FIRST, Message.Stop.ABORT, 0));
        agent.received(new Message.Count(FIRST.next()));
        assertEquals(Message.Counters.class, told.take().getClass());
        assertEquals(List.of("source", "sink"), agent.hosts(FIRST.next()));
    }

    @Test
    void rowsOfAJobThatWasEndedStayUntilTheResourceEnds() throws Exception {
        Spooling spooling = spooling(1 << 20);
        SpoolId id = spooling.id("sink", 0);
        ResourceAgent ending = ResourceAgent.local("local");
        ending.speaksTo(told::add);
        deploy(ending, FIRST, spooling);
        assertEquals(new Message.Ready(FIRST), told.take());
        ending.received(new Message.Start(FIRST));
        Spool spool = Spools.find(id);
        try (SpoolRecords records = new SpoolRecords(spool.access(), "sink", 0)) {
            assertTrue(records.next(50_000));
        }
        ending.received(new Message.Stop(FIRST, Message.Stop.ABORT, 0));
        ending.received(new Message.Forget(FIRST));
        Message last = told.take();
        while (!(last instanceof Message.Finished)) {
            last = told.take();
        }
        assertSame(spool, Spools.find(id));
        ending.close(10_000);
        assertNull(Spools.find(id));
        spool.awaitRelease();
    }

    @Test
    void aJobThatIsStoppedGivesItsRowsUp() throws Exception {
        Spooling spooling = spooling(1);
        SpoolId id = spooling.id("sink", 0);
        deploy(agent, FIRST, spooling);
        assertEquals(new Message.Ready(FIRST), told.take());
        agent.received(new Message.Start(FIRST));
        Spool spool = Spools.find(id);
        agent.received(new Message.Stop(FIRST, Message.Stop.NOW, 0));
        spool.awaitRelease();
        assertEquals(Message.Settled.class, told.take().getClass());
        assertNull(Spools.find(id));
    }

    @Test
    void aMessageThatComesWhileTheResourceClosesIsNotAFault() throws Exception {
        ResourceAgent closed = ResourceAgent.local("local");
        closed.speaksTo(told::add);
        deploy(closed, FIRST, null);
        assertEquals(new Message.Ready(FIRST), told.take());
        closed.close(10_000);
        PrintStream console = System.err;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            closed.received(new Message.Count(FIRST));
        } finally {
            System.setErr(console);
        }
        assertEquals("", printed.toString(StandardCharsets.UTF_8));
    }

    private static Spooling spooling(long mostBytes) {
        return new Spooling(List.of("sink"), UUID.randomUUID().toString(), false, true, null, mostBytes, false, false);
    }

    private void assertRefused(Attempt attempt, String why) throws InterruptedException {
        assertEquals(new Message.Failed(attempt, "attempt", why, null, null, null), told.take());
        assertEquals(new Message.Finished(attempt, List.of()), told.take());
        assertTrue(told.isEmpty(), told.toString());
    }

    private void deploy(Attempt attempt) throws Exception {
        deploy(agent, attempt, null);
    }

    private static void deploy(ResourceAgent to, Attempt attempt, Spooling spooling) throws Exception {
        JobOptions options = JobOptions.parse("{}", System::currentTimeMillis).with(spooling);
        JobPlan planned = JobPlan.of(ENDLESS, "test", options).value();
        to.received(new Message.Deploy(attempt, ENDLESS, "test", Map.of(), null, options.directory(), List.of(), Map.of(),
                List.of(), Map.of(),
                planned.digest(), 1 << 20, planned.answers(), options.instantMicros(), spooling, null, null, null, null));
    }
}
