package io.despina.control.resource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.control.assembly.JobOptions;
import io.despina.control.assembly.JobPlan;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.MessageTypes;
import io.despina.control.protocol.Pulse;
import io.despina.control.protocol.Refusal;
import io.despina.control.protocol.StatePlace;
import io.despina.link.Attempt;
import io.despina.wire.ControlConnection;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ResourceSessionTest {
    private static final String ENDLESS = """
            {"format": 1, "name": "endless",
             "operators": {
               "source": {"type": "generator_source", "rows": {"type": "packets", "packet_bytes": 50, "content": "random"}},
               "sink": {"type": "discard_sink"}},
             "links": [{"from": "source", "to": "sink"}]}
            """;
    private static final Message.Hello HELLO = new Message.Hello("local", "", 1, "dev", "127.0.0.1", 1, 1, 1);

    private final BlockingQueue<Message> sent = new LinkedBlockingQueue<>();
    private final List<String> told = new ArrayList<>();
    private final AtomicLong clock = new AtomicLong();
    private final ResourceAgent agent = ResourceAgent.local("local");
    private final ResourceSession session = new ResourceSession(agent, clock::get, new ResourceSession.Observer() {
        @Override
        public void says(String words) {
            told.add(words);
        }

        @Override
        public void refused(Refusal why) {
            told.add("refused: " + why.getMessage());
        }

        @Override
        public void lost(String why) {
            told.add("lost: " + why);
        }
    });

    private final ControlConnection connection = new ControlConnection() {
        @Override
        public String admitted() {
            return "";
        }

        @Override
        public void send(byte[] json) {
            sent.add(MessageTypes.decode(json));
        }

        @Override
        public void sendInTurn(byte[] json) {
            send(json);
        }

        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public void close() {
        }
    };

    @Test
    void jobsThatAreKilledBecauseTheCoordinatorIsLostHaveNotFinished() throws Exception {
        session.begin(connection, HELLO);
        assertEquals(HELLO, sent.take());
        Attempt attempt = deploy(null);
        assertEquals(new Message.Ready(attempt), sent.take());
        session.closed("connection reset");
        agent.close(10_000);
        assertTrue(sent.isEmpty(), sent.toString());
        assertEquals(ResourceSession.End.LOST, session.ended().join());
        assertEquals("lost: the connection to the coordinator has ended: connection reset", told.get(told.size() - 1));
    }

    @Test
    void itBeatsAndSaysForHowLongItWasHeldUp() {
        session.begin(connection, HELLO);
        sent.clear();
        clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(Pulse.EVERY_MILLIS));
        session.beat();
        clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(Pulse.EVERY_MILLIS + 900));
        session.beat();
        assertEquals(List.of(new Message.Heartbeat(0), new Message.Heartbeat(900)), List.copyOf(sent));
        assertFalse(session.ended().isDone());
        agent.close(10_000);
    }

    /** Deploys a job there. @param state null for one that keeps none */
    private Attempt deploy(StatePlace state) throws Exception {
        Attempt attempt = Attempt.first("one");
        JobOptions options = JobOptions.parse("{}", System::currentTimeMillis);
        JobPlan planned = JobPlan.of(ENDLESS, "test", options).value();
        session.message(new Message.Deploy(attempt, ENDLESS, "test", Map.of(), null, options.directory(), List.of(),
                Map.of(), List.of(), Map.of(), planned.digest(), 1 << 20, planned.answers(), options.instantMicros(), null, null,
                state, null, null).encode());
        return attempt;
    }

    private static StatePlace place(Path folder) {
        return new StatePlace(folder.toString(), "endless", 0, false, List.of());
    }

    private void isLostAfter(long millis, String words) {
        for (long silent = 0; silent + Pulse.EVERY_MILLIS <= millis; silent += Pulse.EVERY_MILLIS) {
            clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(Pulse.EVERY_MILLIS));
            session.beat();
            assertFalse(session.ended().isDone());
        }
        clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(Pulse.EVERY_MILLIS));
        session.beat();
        assertEquals("lost: the coordinator sent nothing for " + words, told.get(told.size() - 1));
        agent.close(10_000);
    }

    @Test
    void itEndsWhenNothingWasHeardForTooLong() throws Exception {
        session.begin(connection, HELLO);
        deploy(null);
        isLostAfter(8_000, "8 s");
    }

    @Test
    void itEndsSoonerWhereTheJobGoesOnWithoutIt(@TempDir Path folder) throws Exception {
        session.begin(connection, HELLO);
        deploy(place(folder));
        isLostAfter(1_500, "1.5 s");
    }

    @Test
    void thatJobIsForgottenWithItsEnd(@TempDir Path folder) throws Exception {
        session.begin(connection, HELLO);
        session.message(new Message.Forget(deploy(place(folder))).encode());
        isLostAfter(8_000, "8 s");
    }

    @Test
    void aCoordinatorThatSaysThatItWasHeldUpIsWaitedForLonger(@TempDir Path folder) throws Exception {
        session.begin(connection, HELLO);
        deploy(place(folder));
        session.message(new Message.Heartbeat(700).encode());
        isLostAfter(5_000, "5 s");
    }

    @Test
    void whatTheCoordinatorSaysEndsItAsSaid() {
        session.begin(connection, HELLO);
        session.message(new Message.Refused("join", "not awaited", null).encode());
        session.closed("the other side closed the connection");
        assertEquals(ResourceSession.End.REFUSED, session.ended().join());
        assertEquals(List.of("refused: not awaited"), told);
        agent.close(10_000);
    }
}
