package io.despina.control.members;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.despina.control.coordinator.Coordinator;
import io.despina.control.coordinator.JobGraphs;
import io.despina.control.process.Child;
import io.despina.control.process.ResourceMain;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.json.Json;
import io.despina.link.Attempt;
import io.despina.placement.Deployment;
import io.despina.wire.ControlHandler;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Children that are started before a job wants one. Threads over real sockets; the clock, beats and ends are the test's. */
@Timeout(60)
class ReadyChildrenTest {
    private static final long SECOND = 1_000_000_000;

    /** A child whose end the test tells, with the names that it has had. */
    private record Told(CompletableFuture<String> onExit, List<String> parts) implements Child {

        @Override
        public long pid() {
            return 0;
        }

        @Override
        public void plays(String resource) {
            parts.add(resource);
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

    private static final class Silent implements Member.Callback {
        @Override
        public void received(Member from, Message message) {
            throw new AssertionError(message);
        }

        @Override
        public void lost(Member member, Refusal why) {
        }

        @Override
        public void explained(Member member, Refusal before, Refusal better) {
        }
    }

    private final Map<String, Told> children = new ConcurrentHashMap<>();
    private final List<String> started = new CopyOnWriteArrayList<>();
    private final AtomicLong now = new AtomicLong();
    private final HeartbeatByHand timer = new HeartbeatByHand();
    /** Of children that have joined. */
    private final Semaphore joined = new Semaphore(0);
    /** Whether a child that is started now never joins. */
    private volatile boolean hangs;
    private Members members;

    @BeforeEach
    void open() {
        Environment real = Environment.ofProcess();
        members = new Members(new Silent(), new Environment(now::get, real.wall(), timer, Runnable::run,
                (at, tls, accept) -> real.ports().open(at, tls, connection -> telling(accept.apply(connection)))),
                new Members.Starters((resource, arguments, secret) -> {
            started.add(resource.name());
            if (!hangs) {
                ResourceMain.startThread(resource, arguments, secret);
            }
            Told child = new Told(new CompletableFuture<>(), new CopyOnWriteArrayList<>());
            children.put(resource.name(), child);
            return child;
        }, null), Members.Patience.USUAL);
    }

    private ControlHandler telling(ControlHandler handler) {
        return new ControlHandler() {
            private boolean met;

            @Override
            public void message(byte[] json) {
                handler.message(json);
                joined.release(met ? 0 : 1);
                met = true;
            }

            @Override
            public void closed(String reason) {
                handler.closed(reason);
            }
        };
    }

    @AfterEach
    void close() {
        members.close("the test is over");
        timer.shutdownNow();
    }

    @Test
    void aJobTakesTheChildThatIsReadyAndAnotherIsStartedLater() throws Exception {
        members.keepReady(1);
        after(4);
        assertEquals(List.of("~ready-1"), started);
        Lease first = lease("one", "{\"a\": {}, \"b\": {}}");
        first.joined().forEach(CompletableFuture::join);
        assertEquals(List.of("~ready-1", "b"), started);
        assertEquals(List.of("a", "b"), first.joined().stream().map(each -> each.join().name()).toList());
        assertEquals(List.of("a"), children.get("~ready-1").parts);
        after(1);
        assertEquals(List.of("~ready-1", "b"), started, "the job that starts has the machine for itself");
        after(4);
        assertEquals(List.of("~ready-1", "b", "~ready-2"), started);
    }

    @Test
    void oneThatHasNotJoinedYetIsTakenToo() throws Exception {
        members.keepReady(1);
        after(4);
        assertEquals("a", lease("one", "{\"a\": {}}").joined().get(0).join().name());
        assertEquals(List.of("~ready-1"), started);
    }

    @Test
    void oneThatWasTakenAndDoesNotJoinIsToldByTheNameThatItHasThen() throws Exception {
        HeartbeatByHand hand = new HeartbeatByHand();
        Environment real = Environment.ofProcess();
        try (Members silent = new Members(new Silent(), new Environment(now::get, real.wall(), hand, Runnable::run,
                real.ports()), new Members.Starters((resource, arguments, secret) -> new Told(new CompletableFuture<>(),
                new CopyOnWriteArrayList<>()), null), new Members.Patience(500, 30_000, 0))) {
            silent.keepReady(1);
            hand.beat();
            Lease lease = silent.lease(wish("one", "{\"a\": {}}"));
            Throwable late = assertThrows(CompletionException.class, () -> lease.joined().get(0).join()).getCause();
            assertEquals("resource `a` has not joined within 0.5 s", late.getMessage());
        } finally {
            hand.shutdownNow();
        }
    }

    @Test
    void oneThatHangsIsPassedOverAndReplacedWhenItIsLost() throws Exception {
        hangs = true;
        members.keepReady(1);
        after(4);
        hangs = false;
        after(11);
        assertEquals("a", lease("one", "{\"a\": {}}").joined().get(0).join().name());
        assertEquals(List.of("~ready-1", "a"), started);
        children.get("~ready-1").kill();
        after(1);
        after(30);
        assertEquals(List.of("~ready-1", "a", "~ready-2"), started);
    }

    @Test
    void theyStayReadyAndAreOfTheUsualSize() throws Exception {
        members.keepReady(2);
        after(4);
        joined.acquire();
        after(1);
        joined.acquire();
        after(600);
        assertEquals(List.of("~ready-1", "~ready-2"), started, "idle as they are");
        lease("one", "{\"a\": {\"memory_bytes\": 134217728}, \"b\": {\"cores\": 1}}");
        assertEquals(List.of("~ready-1", "~ready-2", "a", "b"), started);
        lease("two", "{\"c\": {}}");
        lease("three", "{\"d\": {}}");
        lease("four", "{\"e\": {}}");
        assertEquals(List.of("~ready-1", "~ready-2", "a", "b", "e"), started);
    }

    @Test
    void oneThatIsLostIsReplacedAfterAWhile() {
        members.keepReady(1);
        after(4);
        children.get("~ready-1").kill();
        after(4);
        after(4);
        assertEquals(List.of("~ready-1"), started, "the next may be lost as well");
        after(30);
        assertEquals(List.of("~ready-1", "~ready-2"), started);
    }

    @Test
    void noneIsReadyIfNobodyAskedForIt() {
        after(600);
        assertEquals(List.of(), started);
    }

    @Test
    void aWholeJobRunsInIt() throws Exception {
        List<String> names = new CopyOnWriteArrayList<>();
        try (Coordinator coordinator = new Coordinator((resource, arguments, secret) -> {
            names.add(resource.name());
            return ResourceMain.startThread(resource, arguments, secret);
        }, new Members.Patience(60_000, 30_000, 0))) {
            coordinator.keepReady(1);
            while (names.isEmpty()) {
                Thread.onSpinWait();
            }
            String options = Json.object().put("deployment_text",
                    "{\"format\": 1, \"resources\": {\"only\": {\"start\": \"child\"}}}").toString();
            String job = coordinator.run(JobGraphs.relay(100), "g", options).path("job").asText();
            assertEquals("done", coordinator.await(job, 60_000).path("state").asText());
            assertEquals("only", coordinator.status(job).path("resources").fieldNames().next());
            assertEquals("~ready-1", names.get(0));
            assertEquals(List.of(), names.stream().filter(name -> !name.startsWith("~ready-")).toList());
        }
    }

    /** So many seconds later, after as many beats as it takes to see it. */
    private void after(long seconds) {
        now.addAndGet(seconds * SECOND);
        for (int beat = 0; beat < 5; beat++) {
            timer.beat();
        }
    }

    private Lease lease(String job, String resources) throws Refusal {
        return members.lease(wish(job, resources));
    }

    private static Members.Request wish(String job, String resources) {
        List<Deployment.Resource> wanted = Deployment.load("{\"format\": 1, \"resources\": " + resources + "}", "d").value()
                .resources();
        return new Members.Request(new Attempt(job, 1), wanted, new AfterLoss(0, false), Set.of(), null, null, "127.0.0.1",
                new Waiting(60_000, true));
    }
}
