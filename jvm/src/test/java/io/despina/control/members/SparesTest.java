package io.despina.control.members;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.despina.control.process.Child;
import io.despina.control.process.ResourceMain;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.link.Attempt;
import io.despina.placement.Deployment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is told of children that are lost, and who takes their parts. Threads over real sockets; their ends are told by hand. */
@Timeout(60)
class SparesTest {
    private static final String TWO = "{\"format\": 1, \"resources\": {\"a\": {}, \"b\": {}}}";
    /** Beats within which whoever is lost is forgotten. */
    private static final int BEATS = 10;

    /** A child whose end the test tells. */
    private record Told(CompletableFuture<String> onExit) implements Child {

        @Override
        public long pid() {
            return 0;
        }

        @Override
        public void kill() {
            onExit.complete("ended by signal 9");
        }

        @Override
        public void end(long millis) {
            kill();
        }
    }

    /** Writes down what it hears; whoever is lost is said to have exited before the loss has been told to the end. */
    private final class Listener implements Member.Callback {
        private final List<String> heard = new CopyOnWriteArrayList<>();
        private final CompletableFuture<Void> explained = new CompletableFuture<>();

        @Override
        public void received(Member from, Message message) {
            throw new AssertionError(message);
        }

        @Override
        public void lost(Member member, Refusal why) {
            children.get(member.name()).onExit.complete("its exit code was 3");
            heard.add("lost: " + why.getMessage());
        }

        @Override
        public void explained(Member member, Refusal before, Refusal better) {
            heard.add("explained: " + better.getMessage());
            explained.complete(null);
        }
    }

    private final Map<String, Told> children = new ConcurrentHashMap<>();
    private final List<String> started = new CopyOnWriteArrayList<>();
    private final Listener listener = new Listener();
    private final HeartbeatByHand timer = new HeartbeatByHand();
    private final List<Deployment.Resource> two = Deployment.load(TWO, "d").value().resources();
    private Members members;

    @BeforeEach
    void open() {
        Environment real = Environment.ofProcess();
        members = new Members(listener, new Environment(real.clock(), real.wall(), timer, real.aside(), real.ports()),
                new Members.Starters((resource, arguments, secret) -> {
            started.add(resource.name());
            ResourceMain.startThread(resource, arguments, secret);
            Told child = new Told(new CompletableFuture<>());
            children.put(resource.name(), child);
            return child;
        }, null), Members.Patience.USUAL);
    }

    @AfterEach
    void close() {
        members.close("the test is over");
        timer.shutdownNow();
    }

    @Test
    void itsReasonIsToldBehindALoss() throws Exception {
        RemoteMember lost = lease(1, 0).joined().get(0).join();
        lost.closed("its connection was closed");
        listener.explained.join();
        assertEquals(List.of("lost: resource `a` was lost: its connection was closed",
                "explained: resource `a` was lost: its exit code was 3"), listener.heard);
    }

    @Test
    void aSpareTakesThePartOfOneThatIsForgotten() throws Exception {
        Lease first = lease(1, 1);
        first.joined().forEach(CompletableFuture::join);
        awaitSpares(first, 1);
        first.joined().get(0).join().closed("its connection was closed");
        listener.explained.join();
        for (int beat = 0; beat < BEATS; beat++) {
            timer.beat();
        }
        first.release();
        List<RemoteMember> second = new ArrayList<>();
        lease(2, 1).joined().forEach(each -> second.add(each.join()));
        assertEquals(List.of("a", "b"), second.stream().map(RemoteMember::name).toList());
        assertEquals(List.of("a", "b", "~spare-1", "~spare-1"), started, "and another one stands by");
    }

    @Test
    void aSpareThatIsLostIsReplacedByANewOneAndByNoOtherSpare() throws Exception {
        Lease first = lease(1, 2);
        awaitSpares(first, 2);
        RemoteMember spare = first.spares().get(0);
        assertNotNull(spare);
        spare.closed("its connection was closed");
        listener.explained.join();
        Lease second = lease(2, 2);
        awaitSpares(second, 2);
        assertEquals(List.of("a", "b", "~spare-1", "~spare-2", "~spare-1"), started);
    }

    private static void awaitSpares(Lease lease, int count) {
        lease.spares().forEach(each -> each.joined().join());
        assertEquals(count, lease.standingBy());
    }

    private Lease lease(int attempt, int spares) throws Refusal {
        return members.lease(new Members.Request(new Attempt("job", attempt), two, new AfterLoss(spares, true), Set.of(), null,
                null, "127.0.0.1", new Waiting(60_000, true)));
    }
}
