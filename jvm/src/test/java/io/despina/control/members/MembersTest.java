package io.despina.control.members;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.coordinator.Coordinator;
import io.despina.control.coordinator.JobGraphs;
import io.despina.control.process.ChildProcess;
import io.despina.control.process.ResourceMain;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.MessageTypes;
import io.despina.control.protocol.Refusal;
import io.despina.control.resource.PythonPolicy;
import io.despina.control.resource.ResourceAgent;
import io.despina.json.Json;
import io.despina.link.Attempt;
import io.despina.placement.Deployment;
import io.despina.wire.Certificates;
import io.despina.wire.ControlConnection;
import io.despina.wire.ControlHandler;
import io.despina.wire.handshake.Secret;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Resources that are threads of this JVM, over real sockets. */
class MembersTest {
    private static final String TWO = """
            {"format": 1, "resources": {"a": {"host": "127.0.0.1"}, "b": {"host": "127.0.0.1"}},
             "place": {"relay": ["b"], "*": ["a"]}}
            """;

    private static final String DEPLOYED = Json.object().put("deployment_text", TWO).toString();

    @Test
    void jobsRunAndEndOverSockets() throws Exception {
        try (Coordinator coordinator = new Coordinator(ResourceMain::startThread, Members.Patience.USUAL)) {
            int threads = 0;
            for (int k = 0; k < cycles(); k++) {
                String job = start(coordinator, JobGraphs.relay(2_000), DEPLOYED);
                JsonNode end = coordinator.await(job, 60_000);
                assertEquals("done", end.path("state").asText(), end.toString());
                assertEquals(2_000, end.at("/operators/sink/packets_in").asLong());
                assertEquals("[\"b\"]", end.at("/operators/relay/resources").toString());
                threads = k == 2 ? Thread.activeCount() : threads;
            }
            // some pools begin late; a thread that jobs left behind would be there once for each
            assertTrue(Thread.activeCount() <= threads + cycles() / 2, threads + " threads became " + Thread.activeCount());
        }
    }

    @Test
    void aScheduleChangesWhileItRuns() throws Exception {
        try (Coordinator coordinator = new Coordinator()) {
            String job = start(coordinator, JobGraphs.endless(), "{}");
            while (!coordinator.status(job).path("state").asText().equals("running")) {
                coordinator.await(job, 10);
            }
            coordinator.control(job, "set_schedule", "relay", "{\"type\": \"periodic\", \"every_ms\": 5}");
            assertEquals("schedule", refusal(() -> coordinator.control(job, "set_schedule", "relay",
                    "{\"type\": \"never\"}")).rule());
            coordinator.stop(job, "now");
            assertEquals("stopped", coordinator.await(job, 60_000).path("state").asText());
            assertEquals("state", refusal(() -> coordinator.control(job, "set_schedule", "relay",
                    "{\"type\": \"data\"}")).rule());
        }
    }

    @Test
    void whoDoesNotKnowTheSecretIsNotLetIn() throws Exception {
        AtomicReference<String> said = new AtomicReference<>();
        try (Coordinator coordinator = new Coordinator((resource, arguments, secret) -> {
            int colon = arguments.get(3).lastIndexOf(':');
            int port = Integer.parseInt(arguments.get(3).substring(colon + 1));
            ResourceAgent stranger = agent("stranger", "", "another secret of 32 characters", "127.0.0.1");
            try {
                stranger.connect("127.0.0.1", port, null);
            } catch (java.io.IOException e) {
                said.set(e.getMessage());
            } finally {
                stranger.close(5_000);
            }
            throw new Refusal("resource_start", "a stranger was at the door", null);
        }, Members.Patience.USUAL)) {
            Refusal refused = refusal(() -> start(coordinator, JobGraphs.relay(1), DEPLOYED));
            assertEquals("resource_start", refused.rule());
        }
        assertTrue(said.get() != null && said.get().contains("secret"), said.get());
    }

    private static ResourceAgent agent(String name, String token, String secret, String listen) throws Refusal {
        return ResourceAgent.withWire(new ResourceAgent.Size(name, 1, 128 << 20), new ResourceAgent.Entry(token, secret), listen,
                null, PythonPolicy.AS_ASKED);
    }

    @Test
    void aProcessDoesNotComeInThePlaceOfAnother() throws Exception {
        List<String> tokens = new ArrayList<>();
        List<String> secrets = new ArrayList<>();
        List<String> said = new CopyOnWriteArrayList<>();
        try (Coordinator coordinator = new Coordinator((resource, arguments, secret) -> {
            tokens.add(arguments.get(arguments.indexOf("--token") + 1));
            secrets.add(secret);
            if (resource.name().equals("a")) {
                return null;
            }
            int port = Integer.parseInt(arguments.get(3).substring(arguments.get(3).lastIndexOf(':') + 1));
            said.add(comes(port, tokens.get(0), secret, tokens.get(0)));
            said.add(comes(port, "", secret, tokens.get(0)));
            said.add(comes(port, tokens.get(1), secret, tokens.get(0)));
            said.add(comes(port, tokens.get(1), secret, ""));
            throw new Refusal("resource_start", "b has tried to be a", null);
        }, Members.Patience.USUAL)) {
            assertEquals("resource_start", refusal(() -> start(coordinator, JobGraphs.relay(1), DEPLOYED)).rule());
        }
        assertNotEquals(secrets.get(0), secrets.get(1));
        assertTrue(tokens.stream().allMatch(token -> token.matches("[0-9a-f]{64}")), tokens.toString());
        assertTrue(said.get(0).endsWith("it does not know this job's secret"), said.get(0));
        assertTrue(said.get(1).endsWith("it does not know this job's secret"), said.get(1));
        assertEquals(List.of("join", "join"), said.subList(2, 4));
    }

    /** What somebody is told who knows a secret under a name, and says that it is the one of a token. */
    private static String comes(int port, String name, String secret, String token) throws Refusal {
        ResourceAgent agent = agent("b", name, secret, "127.0.0.1");
        CompletableFuture<String> told = new CompletableFuture<>();
        try (ControlConnection connection = agent.connect("127.0.0.1", port, new ControlHandler() {
            @Override
            public void message(byte[] json) {
                told.complete(((Message.Refused) MessageTypes.decode(json)).rule());
            }

            @Override
            public void closed(String reason) {
                told.complete(reason);
            }
        })) {
            connection.send(new Message.Hello("a", token, 1, Message.Hello.VERSION, "127.0.0.1", 1, 128 << 20, 1).encode());
            return told.join();
        } catch (IOException e) {
            return e.getMessage();
        } finally {
            agent.close(5_000);
        }
    }

    @Test
    void aResourceThatDiesAsItStartsFailsTheJobWithoutWaitingForTheOther() throws Exception {
        try (Coordinator coordinator = new Coordinator((resource, arguments, secret) -> {
            if (resource.name().equals("b")) {
                return null;
            }
            ChildProcess child = new ChildProcess(resource, arguments, secret);
            child.kill();
            return child;
        }, Members.Patience.USUAL)) {
            JsonNode end = coordinator.await(start(coordinator, JobGraphs.relay(1), DEPLOYED), 30_000);
            assertEquals("failed", end.path("state").asText(), end.toString());
            assertEquals("resource_start", end.at("/error/rule").asText(), end.toString());
            assertTrue(end.at("/error/message").asText().contains("`a`"), end.toString());
            assertTrue(end.at("/error/message").asText().contains("signal 9"), end.toString());
        }
    }

    @Test
    void aResourceThatHangsAsItStartsIsEndedAndTheNextJobGetsAnother() throws Exception {
        List<Long> hung = new ArrayList<>();
        AtomicBoolean hangs = new AtomicBoolean(true);
        try (Coordinator coordinator = new Coordinator((resource, arguments, secret) -> {
            if (resource.name().equals("b") && hangs.get()) {
                ChildProcess child = new ChildProcess(resource, arguments, secret);
                hung.add(child.pid());
                signal(child.pid(), "STOP");
                return child;
            }
            return ResourceMain.startThread(resource, arguments, secret);
        }, new Members.Patience(2_000, 30_000))) {
            JsonNode end = coordinator.await(start(coordinator, JobGraphs.relay(1), DEPLOYED), 30_000);
            assertTrue(end.at("/error/message").asText().contains("`b` has not joined"), end.toString());
            ProcessHandle.of(hung.get(0)).ifPresent(process -> process.onExit().join());
            hangs.set(false);
            JsonNode again = coordinator.await(start(coordinator, JobGraphs.relay(100), DEPLOYED), 30_000);
            assertEquals("done", again.path("state").asText(), again.toString());
        }
    }

    @Test
    void whereAResourceStandsInItsFileDoesNotMatterAndAnIdleOneIsEnded() throws Exception {
        List<String> started = new CopyOnWriteArrayList<>();
        try (Coordinator coordinator = new Coordinator((resource, arguments, secret) -> {
            started.add(resource.name());
            return ResourceMain.startThread(resource, arguments, secret);
        }, new Members.Patience(30_000, 3_000))) {
            run(coordinator, TWO);
            run(coordinator, "\n\n" + TWO);
            assertEquals(List.of("a", "b"), started);
            run(coordinator, TWO.replace("\"b\": {", "\"b\": {\"memory_bytes\": 134217728, "));
            assertEquals(List.of("a", "b", "b"), started);
            for (Thread thread : Thread.getAllStackTraces().keySet()) {
                if (thread.getName().startsWith("despina-resource-")) {
                    thread.join(TimeUnit.SECONDS.toMillis(30));
                    assertFalse(thread.isAlive(), thread.getName() + " stays though idle");
                }
            }
            run(coordinator, TWO);
            assertEquals(5, started.size());
        }
    }

    @Test
    void childrenAndAJoinedResourceRunAJobTogether(@TempDir Path folder) throws Exception {
        Path secret = Secrets.write(folder, Secret.random() + "\n");
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        String deployment = TWO.replace("\"b\": {\"host\": \"127.0.0.1\"",
                "\"b\": {\"start\": \"join\", \"host\": \"127.0.0.2\", \"control_port\": " + port);
        Process joined = null;
        try (Coordinator coordinator = new Coordinator()) {
            String job = start(coordinator, JobGraphs.relay(20_000), Json.object().put("deployment_text", deployment)
                    .put("secret_file", secret.toString()).toString());
            joined = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                    System.getProperty("java.class.path"), ResourceMain.class.getName(), "--name", "b", "--join",
                    "127.0.0.1:" + port,
                    "--secret-file", secret.toString(), "--listen", "127.0.0.2", "--memory", "134217728").inheritIO().start();
            JsonNode end = coordinator.await(job, 60_000);
            assertEquals("done", end.path("state").asText(), end.toString());
            assertEquals(20_000, end.at("/operators/sink/packets_in").asLong());
            assertEquals(joined.pid(), end.at("/resources/b/pid").asLong());
            assertTrue(coordinator.report(job).at("/latency_ms/sink/p50").asDouble() > 0, end.toString());
        } finally {
            if (joined != null) {
                assertTrue(joined.waitFor(20, TimeUnit.SECONDS), "it ends with its coordinator");
                assertEquals(0, joined.exitValue());
            }
        }
    }

    @Test
    void childrenAndAJoinedResourceRunAJobInsideTls(@TempDir Path folder) throws Exception {
        String secret = Secret.random();
        Path file = Secrets.write(folder, secret);
        String tls = Certificates.in(folder.resolve("tls"), "ip:127.0.0.1,ip:127.0.0.2").toString();
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        String deployment = TWO.replace("\"b\": {\"host\": \"127.0.0.1\"",
                "\"b\": {\"start\": \"join\", \"host\": \"127.0.0.2\", \"control_port\": " + port
                + ", \"memory_bytes\": 134217728");
        ObjectNode options = Json.object().put("deployment_text", deployment).put("secret_file", file.toString()).put("tls", tls);
        Deployment.Resource far = Deployment.load(deployment, "d").value().resources().get(1);
        List<String> arguments = List.of("--name", "b", "--join", "127.0.0.1:" + port, "--listen", "127.0.0.2", "--memory",
                "134217728");
        try (Coordinator coordinator = new Coordinator()) {
            String job = start(coordinator, JobGraphs.relay(20_000), options.toString());
            ResourceAgent plain = agent("b", "", secret, "127.0.0.2");
            try {
                String refused = assertThrows(IOException.class, () -> plain.connect("127.0.0.1", port, null)).getMessage();
                assertTrue(refused.contains("TLS may be on there"), refused);
            } finally {
                plain.close(5_000);
            }
            List<String> inside = new ArrayList<>(arguments);
            inside.addAll(List.of("--tls", tls));
            ResourceMain.startThread(far, inside, secret);
            JsonNode end = coordinator.await(job, 60_000);
            assertEquals("done", end.path("state").asText(), end.toString());
            assertEquals(20_000, end.at("/operators/sink/packets_in").asLong());
        }
    }

    @Test
    void whoHasNotJoinedIsToldWithTheCommandUntilTheJobGivesUp(@TempDir Path folder) throws Exception {
        Path secret = Secrets.write(folder, Secret.random());
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        String deployment = TWO.replace("\"b\": {\"host\": \"127.0.0.1\"",
                "\"b\": {\"start\": \"join\", \"host\": \"127.0.0.2\", \"control_port\": " + port);
        ObjectNode options = Json.object().put("deployment_text", deployment).put("secret_file", secret.toString());
        try (Coordinator coordinator = new Coordinator(ResourceMain::startThread, Members.Patience.USUAL)) {
            String waiting = start(coordinator, JobGraphs.relay(1), options.put("join_timeout_s", 3_600).toString());
            JsonNode awaited = coordinator.status(waiting).path("awaited");
            assertEquals(1, awaited.size(), awaited.toString());
            assertTrue(awaited.path("b").asText().startsWith("despina resource --name b --join 127.0.0.1:" + port
                    + " --secret-file "),
                    awaited.toString());
            coordinator.stop(waiting, "now");
            assertTrue(coordinator.await(waiting, 60_000).path("awaited").isEmpty());
        }
        try (Coordinator coordinator = new Coordinator(ResourceMain::startThread, Members.Patience.USUAL)) {
            String brief = start(coordinator, JobGraphs.relay(1), options.put("join_timeout_s", 0.5).toString());
            JsonNode end = coordinator.await(brief, 30_000);
            assertEquals("resource `b` has not joined within 0.5 s", end.at("/error/message").asText(), end.toString());
            assertTrue(end.path("awaited").isEmpty(), end.toString());
        }
    }

    @Test
    void aDeploymentsErrorsComeBeforeAnythingIsStarted(@TempDir Path folder) throws Exception {
        Path secret = Secrets.write(folder, Secret.random());
        try (Coordinator coordinator = new Coordinator((resource, arguments, given) -> {
            throw new IllegalStateException("nothing may start");
        }, Members.Patience.USUAL)) {
            String near = TWO.replace("relay", "delays");
            String far = near.replace("\"b\": {\"host\": \"127.0.0.1\"",
                    "\"b\": {\"start\": \"join\", \"host\": \"127.0.0.2\", \"control_port\": 7171");
            for (String deployment : List.of(near, far)) {
                JsonNode answer = coordinator.run(JobGraphs.relay(1), "test", Json.object().put("deployment_text", deployment)
                        .put("secret_file", secret.toString()).toString());
                assertTrue(answer.at("/diagnostics/0/message").asText().contains("delays"), answer.toString());
            }
        }
    }

    @Test
    void aFolderThatMakesNoTlsIsRefusedBeforeAnythingStarts(@TempDir Path folder) throws Exception {
        try (Coordinator coordinator = new Coordinator((resource, arguments, secret) -> {
            throw new IllegalStateException("nothing may start");
        }, Members.Patience.USUAL)) {
            Refusal refused = refusal(() -> start(coordinator, JobGraphs.relay(1), Json.object().put("deployment_text", TWO)
                    .put("tls", folder.toString()).toString()));
            assertEquals("tls", refused.rule());
            assertEquals("no certificate.pem in " + folder, refused.getMessage());
        }
    }

    @Test
    void aResourceThatJoinsWithOtherMemoryThanWrittenFailsTheJobAndStaysForTheNext(@TempDir Path folder) throws Exception {
        String secret = Secret.random();
        Path file = Secrets.write(folder, secret);
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        String deployment = TWO.replace("\"b\": {\"host\": \"127.0.0.1\"",
                "\"b\": {\"start\": \"join\", \"host\": \"127.0.0.2\", \"control_port\": " + port
                + ", \"memory_bytes\": 268435456");
        ObjectNode options = Json.object().put("deployment_text", deployment).put("secret_file", file.toString());
        try (Coordinator coordinator = new Coordinator(ResourceMain::startThread, Members.Patience.USUAL)) {
            String job = start(coordinator, JobGraphs.relay(100), options.toString());
            ResourceMain.startThread(Deployment.load(deployment, "d").value().resources().get(1), List.of("--name", "b", "--join",
                    "127.0.0.1:" + port, "--listen", "127.0.0.2", "--memory", "134217728"), secret);
            JsonNode end = coordinator.await(job, 30_000);
            assertEquals("resource `b` has joined with memory_bytes=134217728, and the deployment says 268435456",
                    end.at("/error/message").asText(), end.toString());
            options.put("deployment_text", deployment.replace("268435456", "134217728"));
            JsonNode next = coordinator.await(start(coordinator, JobGraphs.relay(100), options.toString()), 30_000);
            assertEquals("done", next.path("state").asText(), next.toString());
        }
    }

    @Test
    void othersAreHeardOfWhileAJobsChildrenAreBeingStarted() throws Exception {
        CountDownLatch starting = new CountDownLatch(1);
        CountDownLatch started = new CountDownLatch(1);
        HeartbeatByHand timer = new HeartbeatByHand();
        List<Deployment.Resource> two = Deployment.load(TWO, "d").value().resources();
        Member.Callback nobody = new Member.Callback() {
            @Override
            public void received(Member from, Message message) {
                throw new AssertionError(message);
            }

            @Override
            public void lost(Member member, Refusal why) {
                throw new AssertionError(why);
            }

            @Override
            public void explained(Member member, Refusal before, Refusal better) {
                throw new AssertionError(better);
            }
        };
        Environment real = Environment.ofProcess();
        try (Members members = new Members(nobody, new Environment(real.clock(), real.wall(), timer, real.aside(), real.ports()),
                new Members.Starters((resource, arguments, secret) -> {
            if (resource.name().equals("b")) {
                starting.countDown();
                await(started);
            }
            return ResourceMain.startThread(resource, arguments, secret);
        }, null), Members.Patience.USUAL)) {
            lease(members, two.get(0)).joined().forEach(CompletableFuture::join);
            CompletableFuture<Lease> slow = CompletableFuture.supplyAsync(() -> lease(members, two.get(1)));
            await(starting);
            try {
                CompletableFuture.runAsync(timer::beat).get(30, TimeUnit.SECONDS);
            } finally {
                started.countDown();
            }
            slow.join().joined().forEach(CompletableFuture::join);
        } finally {
            timer.shutdownNow();
        }
    }

    private static Lease lease(Members members, Deployment.Resource resource) {
        try {
            return members.lease(new Members.Request(Attempt.first("job"), List.of(resource), new AfterLoss(0, false), Set.of(),
                    null, null, "127.0.0.1", new Waiting(60_000, true)));
        } catch (Refusal e) {
            throw new AssertionError(e);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void run(Coordinator coordinator, String deployment) throws Refusal {
        String job = start(coordinator, JobGraphs.relay(100), Json.object().put("deployment_text", deployment).toString());
        JsonNode end = coordinator.await(job, 60_000);
        assertEquals("done", end.path("state").asText(), end.toString());
    }

    private static void signal(long pid, String name) throws Refusal {
        try {
            assertEquals(0, new ProcessBuilder("kill", "-" + name, Long.toString(pid)).inheritIO().start().waitFor());
        } catch (IOException | InterruptedException e) {
            throw new Refusal("test", e.toString(), null);
        }
    }

    private static int cycles() {
        String given = System.getenv("DESPINA_CYCLES");
        return given == null ? 8 : Integer.parseInt(given);
    }

    private static String start(Coordinator coordinator, String graph, String options) throws Refusal {
        JsonNode answer = coordinator.run(graph, "test", options);
        assertTrue(answer.has("job"), answer.toString());
        return answer.get("job").asText();
    }

    /** What must be refused. */
    private interface Call {
        Object call() throws Refusal;
    }

    private static Refusal refusal(Call call) {
        try {
            throw new AssertionError("not refused: " + call.call());
        } catch (Refusal e) {
            return e;
        }
    }
}
