package io.despina.opcua;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.ConnectorCase;
import io.despina.connect.AcknowledgingReader;
import io.despina.connect.Connector.Use;
import io.despina.connect.ConnectorSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.eclipse.milo.opcua.stack.core.StatusCodes;
import org.eclipse.milo.opcua.stack.core.types.builtin.DataValue;
import org.eclipse.milo.opcua.stack.core.types.builtin.DateTime;
import org.eclipse.milo.opcua.stack.core.types.builtin.StatusCode;
import org.eclipse.milo.opcua.stack.core.types.builtin.Variant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The reader with a server of Milo's, which may be cut off. */
class OpcUaReaderTest {
    private static final String PUMP = "line1.pump.Temperature";
    private static final String PUMP_ID = "nsu=" + Plant.URI + ";s=" + PUMP;
    private static final long PATIENCE_S = 60;
    private static final int LEVELS = 9;
    private static final long LATER_MS = 300;

    private static final Set<X509Certificate> TRUSTED = ConcurrentHashMap.newKeySet();
    private static PlantServer.Keys keys;
    private static PlantServer server;
    private static int port;

    @BeforeAll
    static void start() throws Exception {
        keys = PlantServer.Keys.of(PlantServer.URI);
        port = PlantServer.freePort();
        server = new PlantServer(port, keys, TRUSTED);
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    private static ConnectorSettings settings(int at, List<String> nodes) {
        Map<String, Object> fields = new HashMap<>(Map.of("server", "opc.tcp://127.0.0.1:" + at + "/plant", "nodes", nodes,
                "levels", List.of("line", "device"), "column", "v", "security", "none", "security_mode", "sign_and_encrypt",
                "trigger", "value"));
        Map.of("publish_ms", 20L, "queue_size", 100L, "keep_ms", 30_000L, "browse_ms", 60_000L, "connect_ms", 5_000L,
                "retry_for_ms", 60_000L)
                .forEach(fields::put);
        fields.put("history", false);
        return new ConnectorSettings(fields);
    }

    private static ConnectorSettings withLogin(ConnectorSettings settings, String password) {
        return settings.with("user", (ConnectorSettings.HiddenText) () -> PlantServer.USER)
                .with("password", (ConnectorSettings.HiddenText) () -> password);
    }

    private static void until(BooleanSupplier there, FakeHost host) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
        while (!there.getAsBoolean()) {
            assertNull(host.failure);
            assertTrue(System.nanoTime() < end, () -> host.warnings + " " + values(host));
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
        }
    }

    private static void awaitFailure(FakeHost host) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
        while (host.failure == null) {
            assertTrue(System.nanoTime() < end, host.warnings::toString);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
        }
    }

    private static Reading reading(byte[] bytes) {
        try {
            return new Reading().read(bytes, bytes.length);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String value(Reading reading) {
        return new String(reading.value(), reading.from(), reading.to() - reading.from(), StandardCharsets.UTF_8);
    }

    private static List<String> values(FakeHost host) {
        return host.given.stream().map(each -> value(reading(each))).toList();
    }

    private static List<String> counted(double from, double to) {
        List<String> all = new ArrayList<>();
        for (double k = from; k <= to; k++) {
            all.add("{\"v\":" + k + "}");
        }
        return all;
    }

    private static AcknowledgingReader reader(ConnectorSettings settings, FakeHost host) {
        return new OpcUaConnector().reader(settings, host);
    }

    private static String refusal(ConnectorSettings settings) throws IOException {
        AcknowledgingReader reader = reader(settings, new FakeHost());
        String why = assertThrows(IOException.class, reader::open).getMessage();
        reader.close();
        return why;
    }

    @Test
    void whatANodeHasComesFirstAndThenWhatChanges() throws Exception {
        FakeHost host = new FakeHost();
        int subscriptions = server.subscriptions();
        int sessions = server.sessions();
        try (AcknowledgingReader reader = reader(settings(port, List.of("/Plant/{line}/{device}/State", "/Plant/**/State",
                "nsu=" + Plant.URI + ";s=line2.oven.Temperature")), host)) {
            reader.open();
            until(() -> host.given.size() == 5, host);
            List<String> found = host.given.stream().map(OpcUaReaderTest::reading).map(each -> text(each, LEVELS) + " "
                    + text(each, LEVELS + 1) + " " + text(each, 1) + " " + text(each, 2) + " " + value(each)).sorted().toList();
            assertEquals(List.of("line1 oven /Plant/line1/oven/State Good {\"v\":\"idle\"}",
                    "line1 pump /Plant/line1/pump/State Good {\"v\":\"idle\"}",
                    "line2 oven /Plant/line2/oven/State Good {\"v\":\"idle\"}",
                    "line2 pump /Plant/line2/pump/State Good {\"v\":\"idle\"}", "null null null Good {\"v\":20.0}"), found);
            host.given.clear();
            DateTime time = new DateTime(DateTime.now().getUtcTime() / 10_000_000 * 10_000_000 + 1_234_560);
            StatusCode status = new StatusCode(StatusCodes.Bad_SensorFailure);
            server.set("line1.oven.State", new DataValue(Variant.NULL_VALUE, status, time, null));
            until(() -> host.given.size() == 1, host);
            Reading failed = reading(host.given.get(0));
            assertEquals("Bad_SensorFailure {\"v\":null} 0 123456", text(failed, 2) + " " + value(failed) + " "
                    + failed.number(3) + " " + failed.number(4) % 1_000_000);
        }
        until(() -> server.subscriptions() <= subscriptions && server.sessions() <= sessions, host);
        assertEquals(List.of(), host.warnings);
    }

    @Test
    void aServerThatBeginsALittleLaterIsWaitedFor() throws Exception {
        int later = PlantServer.freePort();
        FakeHost host = new FakeHost();
        CompletableFuture<PlantServer> begun = CompletableFuture.supplyAsync(() -> begun(later),
                CompletableFuture.delayedExecutor(LATER_MS, TimeUnit.MILLISECONDS));
        try (AcknowledgingReader reader = reader(settings(later, List.of("/Plant/line1/pump/State")).with("connect_ms", 60_000L),
                host)) {
            reader.open();
            until(() -> host.given.size() == 1, host);
        } finally {
            begun.get().close();
        }
    }

    private static PlantServer begun(int at) {
        try {
            return new PlantServer(at, PlantServer.Keys.of(PlantServer.URI), Set.of());
        } catch (Exception e) {
            throw new CompletionException(e);
        }
    }

    @Test
    void aStructureIsReadAsTheServerDescribesIt() throws Exception {
        FakeHost host = new FakeHost();
        server.pose(0.5, -1.5);
        try (AcknowledgingReader reader = reader(settings(port, List.of("/Plant/line1/Pose")), host)) {
            reader.open();
            until(() -> host.given.size() == 1, host);
            server.pose(2.5, 3.5);
            until(() -> host.given.size() == 2, host);
            assertEquals(List.of("{\"v\":{\"x\":0.5,\"y\":-1.5}}", "{\"v\":{\"x\":2.5,\"y\":3.5}}"), values(host));
        }
    }

    private static String text(Reading reading, int index) {
        return reading.isMissing(index) ? "null" : new String(reading.binary(index), StandardCharsets.UTF_8);
    }

    @Test
    @ConnectorCase("opcua: missing")
    void allNodesThatAreNotThereAreTold() throws Exception {
        assertEquals("not all `nodes` can be watched at opc.tcp://127.0.0.1:" + port + "/plant: nsu=urn:other;s=a (the server "
                + "has no such namespace), i=85 (it is no variable), ns=2;s=none (Bad_NodeIdUnknown), /Plant/*/none (no variable "
                + "is there)",
                refusal(settings(port, List.of("nsu=urn:other;s=a", "i=85", "ns=2;s=none", "/Plant/*/none", PUMP_ID))));
        assertEquals("4 nodes at opc.tcp://127.0.0.1:" + port + "/plant", new OpcUaConnector().probe(settings(port,
                List.of("/Plant/*/*/Temperature")), Use.READ, 5_000));
    }

    @Test
    @ConnectorCase("opcua: cut")
    void aBreakLosesNothing() throws Exception {
        FakeHost host = new FakeHost();
        server.set(PUMP, 0.0);
        try (Cutter cutter = new Cutter(port);
                AcknowledgingReader reader = reader(settings(cutter.port(), List.of(PUMP_ID)), host)) {
            reader.open();
            for (double k = 1; k < 90; k++) {
                if (k % 30 == 15) {
                    cutter.cut();
                } else if (k % 30 == 0) {
                    cutter.mend();
                }
                server.set(PUMP, k);
            }
            cutter.mend();
            until(() -> host.given.size() >= 90, host);
            assertEquals(counted(0, 89), values(host));
            assertTrue(host.warnings.stream().noneMatch(each -> each.contains("lost") || each.contains("ended the sub")),
                    host.warnings::toString);
        }
    }

    @Test
    @ConnectorCase("opcua: jobs")
    void aSubscriptionIsTakenOverFromASessionThatHasEnded() throws Exception {
        FakeHost host = afterItsSessionHasEnded(settings -> withLogin(settings, PlantServer.PASSWORD), 5);
        assertEquals(List.of("{\"v\":1.0}", "{\"v\":2.0}", "{\"v\":3.0}"), values(host).subList(2, 5));
        assertTrue(host.warnings.stream().noneMatch(each -> each.contains("lost") || each.contains("ended the sub")),
                host.warnings::toString);
    }

    @Test
    @ConnectorCase("opcua: gone")
    void whereTheServerGivesItToNobodyElseTheGapIsTold() throws Exception {
        FakeHost host = afterItsSessionHasEnded(settings -> settings, 4);
        assertEquals(List.of("{\"v\":2.0}", "{\"v\":3.0}"), values(host).subList(2, 4));
        assertTrue(host.warnings.stream().anyMatch(each -> each.matches("`in`: the server has ended the subscription "
                + "\\(Bad_UserAccessDenied\\): of what changed in the \\d+ ms before this, only each node's last value comes")),
                host.warnings::toString);
    }

    /** Two nodes, one of which changes twice while the reader is cut off, and once when it has come back. */
    private static FakeHost afterItsSessionHasEnded(UnaryOperator<ConnectorSettings> login, int count) throws Exception {
        FakeHost host = new FakeHost();
        server.set(PUMP, 0.0);
        try (Cutter cutter = new Cutter(port); AcknowledgingReader reader = reader(login.apply(settings(cutter.port(),
                List.of(PUMP_ID, "/Plant/line2/pump/State"))), host)) {
            reader.open();
            until(() -> host.given.size() == 2, host);
            cutter.cut();
            server.set(PUMP, 1.0);
            server.set(PUMP, 2.0);
            server.endSessions();
            cutter.mend();
            until(() -> values(host).contains("{\"v\":2.0}"), host);
            server.set(PUMP, 3.0);
            until(() -> host.given.size() >= count, host);
        }
        assertEquals(count, host.given.size());
        return host;
    }

    @Test
    void whatIsMissedWhileNoSubscriptionIsThereComesFromTheHistory() throws Exception {
        FakeHost host = new FakeHost();
        server.set(PUMP, 0.0);
        server.set("line1.oven.Temperature", 50.0);
        ConnectorSettings settings = settings(port, List.of(PUMP_ID, "/Plant/line1/oven/*")).with("history", true);
        try (Cutter cutter = new Cutter(port); AcknowledgingReader reader = reader(settings.with("server",
                "opc.tcp://127.0.0.1:" + cutter.port() + "/plant"), host)) {
            reader.open();
            assertEquals(List.of(), values(host));
            reader.goOn(Map.of());
            until(() -> host.given.size() >= 3, host);
            cutter.cut();
            List<String> missed = change(1);
            server.endSessions();
            cutter.mend();
            until(() -> values(host).contains("{\"v\":7.0}"), host);
            server.set(PUMP, 100.0);
            until(() -> values(host).contains("{\"v\":100.0}"), host);
            assertEquals(missed, values(host).subList(3, host.given.size() - 1));
        }
        assertTrue(host.warnings.stream().anyMatch(each -> each.matches("`in`: nodes without a history that may be read: "
                + "ns=2;s=line1.oven.State")), host.warnings::toString);
        assertTrue(host.warnings.stream().anyMatch(each -> each.contains("comes from the server's history")),
                host.warnings::toString);
        List<String> missed = change(10);
        FakeHost next = new FakeHost();
        try (AcknowledgingReader reader = reader(settings, next)) {
            reader.open();
            reader.goOn(host.last);
            until(() -> values(next).contains("{\"v\":16.0}"), next);
            server.set(PUMP, 200.0);
            until(() -> values(next).contains("{\"v\":200.0}"), next);
            assertEquals(missed, values(next).subList(0, next.given.size() - 1));
        }
        assertEquals("`history`: none of the nodes has one at opc.tcp://127.0.0.1:" + port + "/plant that may be read "
                + "(UserAccessLevel): switch it on there, or leave `history` out", refusal(settings(port,
                List.of("/Plant/*/*/State")).with("history", true)));
        assertEquals("2 nodes at opc.tcp://127.0.0.1:" + port + "/plant, without a history that may be read: "
                + "ns=2;s=line1.oven.State", new OpcUaConnector().probe(settings(port, List.of(PUMP_ID,
                "/Plant/line1/oven/State")).with("history", true), Use.READ, 5_000));
    }

    @Test
    void theHistoryIsReadFromATimeOnAndUpToOne() throws Exception {
        List<String> before = change(1);
        long micros = later();
        List<String> between = change(20);
        long end = later();
        List<String> behind = change(40);
        ConnectorSettings settings = settings(port, List.of(PUMP_ID, "/Plant/line1/oven/Temperature")).with("history", true)
                .with("history_from", micros);
        FakeHost bounded = new FakeHost();
        try (AcknowledgingReader reader = reader(settings.with("history_to", end), bounded)) {
            reader.open();
            reader.goOn(Map.of());
            until(() -> bounded.over, bounded);
            assertEquals(between, values(bounded));
        }
        FakeHost host = new FakeHost();
        try (AcknowledgingReader reader = reader(settings, host)) {
            reader.open();
            reader.goOn(Map.of());
            until(() -> host.given.size() >= between.size() + behind.size(), host);
            server.set(PUMP, 300.0);
            until(() -> values(host).contains("{\"v\":300.0}"), host);
            List<String> all = new ArrayList<>(between);
            all.addAll(behind);
            all.add("{\"v\":300.0}");
            assertEquals(all, values(host), "what the subscription brings first is known");
        }
        assertEquals(7, before.size());
    }

    /** A time behind those of all values so far. */
    private static long later() {
        long now = System.currentTimeMillis();
        while (System.currentTimeMillis() <= now + 1) {
            Thread.onSpinWait();
        }
        return TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
    }

    /** Two nodes by turns. @return what their rows are */
    private static List<String> change(int from) {
        for (int k = from; k < from + 7; k++) {
            DateTime time = DateTime.now();
            server.set(k % 2 == 0 ? "line1.oven.Temperature" : PUMP, new DataValue(new Variant((double) k), StatusCode.GOOD,
                    new DateTime(time.getUtcTime() + 10 * k), time));
        }
        return counted(from, from + 6);
    }

    /** The session's questions of the connection before wait at the server still, and take the first messages. */
    @Test
    void whatTheFirstMessageOfAnotherSubscriptionHasComesToo() throws Exception {
        FakeHost host = new FakeHost();
        server.set(PUMP, 0.0);
        try (Cutter cutter = new Cutter(port);
                AcknowledgingReader reader = reader(settings(cutter.port(), List.of(PUMP_ID)), host)) {
            reader.open();
            until(() -> host.given.size() == 1, host);
            cutter.cut();
            server.endSubscriptions();
            server.set(PUMP, 1.0);
            cutter.mend();
            until(() -> host.given.size() == 2, host);
            assertEquals(counted(0, 1), values(host));
        }
        assertTrue(host.warnings.stream().noneMatch(each -> each.contains("messages are lost")), host.warnings::toString);
    }

    @Test
    void aBreakWhileTheServerIsToldOfANodeDoublesNothing() throws Exception {
        FakeHost host = new FakeHost();
        try (Cutter cutter = new Cutter(port); AcknowledgingReader reader = reader(settings(cutter.port(),
                List.of("/Plant/line1/pump/*")).with("browse_ms", 20L), host)) {
            reader.open();
            until(() -> host.given.size() == 2, host);
            CountDownLatch told = new CountDownLatch(1);
            server.whenWatched(() -> {
                if (told.getCount() > 0) {
                    cutter.cut();
                    told.countDown();
                }
            });
            server.add("line1.pump", "Flow");
            assertTrue(told.await(PATIENCE_S, TimeUnit.SECONDS));
            cutter.mend();
            until(() -> host.given.size() == 3, host);
            server.set("line1.pump.Flow", 102.0);
            until(() -> values(host).contains("{\"v\":102.0}"), host);
            server.set("line1.pump.Flow", 103.0);
            until(() -> values(host).contains("{\"v\":103.0}"), host);
            assertEquals(List.of("{\"v\":1.0}", "{\"v\":102.0}", "{\"v\":103.0}"), values(host).subList(2, host.given.size()));
        } finally {
            server.whenWatched(() -> { });
        }
        assertTrue(host.warnings.stream().anyMatch(each -> each.matches("`in`: the connection broke while the server was told "
                + "what to watch: of what changed in the \\d+ ms before this, only each node's last value comes")),
                host.warnings::toString);
    }

    @Test
    void nodesOfOnePathAreNotTakenForEachOther() throws Exception {
        FakeHost host = new FakeHost();
        server.add("line2.oven", "a.Twin");
        server.add("line2.oven", "b.Twin");
        DataValue same = new DataValue(new Variant(5.0), StatusCode.GOOD, DateTime.now(), DateTime.now());
        server.set("line2.oven.a.Twin", same);
        server.set("line2.oven.b.Twin", same);
        try (AcknowledgingReader reader = reader(settings(port, List.of("/Plant/line2/oven/Twin")), host)) {
            reader.open();
            until(() -> host.given.size() == 2, host);
        }
    }

    @Test
    @ConnectorCase("opcua: killed")
    void aServerThatBeginsAnewIsReadAgain() throws Exception {
        FakeHost host = new FakeHost();
        int another = PlantServer.freePort();
        PlantServer first = new PlantServer(another, keys, TRUSTED);
        try (AcknowledgingReader reader = reader(settings(another, List.of(PUMP_ID)), host)) {
            reader.open();
            until(() -> host.given.size() == 1, host);
            first.close();
            try (PlantServer second = new PlantServer(another, keys, TRUSTED)) {
                until(() -> host.given.size() == 2, host);
                second.set(PUMP, 7.0);
                until(() -> host.given.size() == 3, host);
                assertEquals("{\"v\":7.0}", values(host).get(2));
                assertTrue(host.warnings.stream().anyMatch(each -> each.contains("has ended the subscription")),
                        host.warnings::toString);
            }
        }
    }

    @Test
    @ConnectorCase("opcua: refused")
    void aServerWhoseCertificateHasChangedIsNotBelieved(@TempDir Path folder) throws Exception {
        PlantServer.Keys own = PlantServer.Keys.of("urn:despina:client");
        Set<X509Certificate> lets = Set.of(own.certificate());
        int another = PlantServer.freePort();
        ConnectorSettings secure = settings(another, List.of(PUMP_ID)).with("security", "basic256sha256").with("tls",
                new ConnectorSettings.Tls(own.writeCertificate(folder.resolve("own.pem")).toString(),
                        own.writeKey(folder.resolve("key.pem")).toString(),
                        keys.writeCertificate(folder.resolve("trust.pem")).toString()));
        FakeHost host = new FakeHost();
        PlantServer first = new PlantServer(another, keys, lets);
        try (AcknowledgingReader reader = reader(secure, host)) {
            reader.open();
            until(() -> host.given.size() == 1, host);
            first.close();
            try (PlantServer second = new PlantServer(another, PlantServer.Keys.of(PlantServer.URI), lets)) {
                awaitFailure(host);
                assertEquals(0, second.sessions());
            }
        }
        String told = host.failure.getMessage();
        assertTrue(told.contains("is not among those of `trust` in `tls`") && told.contains("SHA-256 "), told);
        assertEquals(1, host.given.size());
    }

    @Test
    @ConnectorCase("opcua: gone, slow")
    void whatDoesNotFitIntoTheServersQueueIsTold() throws Exception {
        FakeHost host = new FakeHost();
        server.set(PUMP, 0.0);
        try (AcknowledgingReader reader = reader(settings(port, List.of(PUMP_ID)).with("queue_size", 10L), host)) {
            reader.open();
            until(() -> host.given.size() == 1, host);
            host.room(false);
            for (double k = 1; k <= 200; k++) {
                server.set(PUMP, k);
            }
            host.room(true);
            until(() -> values(host).contains("{\"v\":200.0}"), host);
            assertEquals(counted(191, 200), values(host).subList(host.given.size() - 10, host.given.size()));
            assertTrue(host.given.stream().anyMatch(each -> reading(each).number(8) == 1));
            assertTrue(host.given.stream().allMatch(each -> text(reading(each), 2).equals("Good")));
        }
        assertTrue(host.warnings.stream().anyMatch(each -> each.contains("the server has dropped values before")),
                host.warnings::toString);
    }

    @Test
    @ConnectorCase("opcua: changed")
    void aNodeThatComesLaterIsFound() throws Exception {
        FakeHost host = new FakeHost();
        ConnectorSettings settings = settings(port, List.of("/Plant/line2/pump/*")).with("browse_ms", 20L);
        try (AcknowledgingReader reader = reader(settings, host)) {
            reader.open();
            until(() -> host.given.size() == 2, host);
            server.add("line2.pump", "Flow");
            until(() -> host.given.size() == 3, host);
            assertEquals("/Plant/line2/pump/Flow {\"v\":1.0}", text(reading(host.given.get(2)), 1) + " " + values(host).get(2));
        }
        assertEquals(List.of(), host.warnings);
    }

    @Test
    void theServerFiltersAsTheGraphSays() throws Exception {
        FakeHost near = new FakeHost();
        FakeHost again = new FakeHost();
        String oven = "line1.oven.Temperature";
        server.set(oven, 100.0);
        List<String> nodes = List.of("/Plant/line1/oven/Temperature");
        try (AcknowledgingReader banded = reader(settings(port, nodes).with("deadband", "5.0"), near);
                AcknowledgingReader timed = reader(settings(port, nodes).with("trigger", "time"), again)) {
            banded.open();
            timed.open();
            DateTime now = DateTime.now();
            List<Double> all = List.of(103.0, 103.0, 110.0);
            for (int k = 0; k < all.size(); k++) {
                DateTime time = new DateTime(now.getUtcTime() + k);
                server.set(oven, new DataValue(new Variant(all.get(k)), StatusCode.GOOD, time, time));
            }
            until(() -> again.given.size() == 4, again);
            until(() -> near.given.size() == 2, near);
            assertEquals(List.of("{\"v\":100.0}", "{\"v\":103.0}", "{\"v\":103.0}", "{\"v\":110.0}"), values(again));
            assertEquals(List.of("{\"v\":100.0}", "{\"v\":110.0}"), values(near));
        }
        String band = refusal(settings(port, List.of("/Plant/line2/oven/State")).with("deadband", "5.0"));
        assertTrue(band.contains("/plant: ns=2;s=line2.oven.State (Bad_"), band);
    }

    @Test
    @ConnectorCase("opcua: refused")
    void aLoginThatIsRefusedIsTold() throws Exception {
        String login = refusal(withLogin(settings(port, List.of(PUMP_ID)), "wrong"));
        assertTrue(login.contains("refuses the login: look at the user and the password"), login);
        String security = refusal(settings(port, List.of(PUMP_ID)).with("security", "aes128_sha256_rsaoaep"));
        assertTrue(security.endsWith("has no endpoint with `security` aes128_sha256_rsaoaep and `security_mode` "
                + "sign_and_encrypt: it has basic256sha256 sign_and_encrypt, none"), security);
        String path = refusal(settings(port, List.of(PUMP_ID)).with("server", "opc.tcp://127.0.0.1:" + port + "/other"));
        assertTrue(path.contains("/other answers, but does not know the path of that address"), path);
        String host = refusal(settings(port, List.of(PUMP_ID)).with("server", "opc.tcp://plant.invalid:4840"));
        assertTrue(host.contains("the host of `server`"), host);
    }

    @Test
    @ConnectorCase("opcua: refused")
    void aServerThatHasLetItInMayRefuseForATime() throws Exception {
        FakeHost patient = new FakeHost();
        FakeHost brief = new FakeHost();
        try (Cutter cutter = new Cutter(port); AcknowledgingReader waits = reader(withLogin(settings(cutter.port(),
                List.of(PUMP_ID)), PlantServer.PASSWORD), patient); AcknowledgingReader fails = reader(withLogin(settings(
                cutter.port(), List.of(PUMP_ID)), PlantServer.PASSWORD).with("retry_for_ms", 1L), brief)) {
            waits.open();
            fails.open();
            until(() -> patient.given.size() == 1 && brief.given.size() == 1, patient);
            cutter.cut();
            server.letsIn(false);
            server.endSessions();
            cutter.mend();
            awaitFailure(brief);
            assertTrue(brief.failure.getMessage().endsWith("; tried again for retry_for_ms=1"), brief.failure::getMessage);
            until(() -> patient.warnings.stream().anyMatch(each -> each.contains("refuses the login")), patient);
            server.letsIn(true);
            server.set(PUMP, 404.0);
            until(() -> values(patient).contains("{\"v\":404.0}"), patient);
        } finally {
            server.letsIn(true);
        }
    }

    @Test
    @ConnectorCase("opcua: refused")
    void certificatesAreBelievedWhenBothSidesSaySo(@TempDir Path folder) throws Exception {
        PlantServer.Keys own = PlantServer.Keys.of("urn:despina:client");
        Path trust = own.writeCertificate(folder.resolve("trust.pem"));         // not the server's
        ConnectorSettings secure = settings(port, List.of(PUMP_ID)).with("security", "basic256sha256").with("tls",
                new ConnectorSettings.Tls(own.writeCertificate(folder.resolve("own.pem")).toString(),
                        own.writeKey(folder.resolve("key.pem")).toString(), trust.toString()));
        String unbelieved = refusal(secure);
        assertTrue(unbelieved.contains("is not among those of `trust`") && unbelieved.contains("SHA-256 "), unbelieved);
        Files.writeString(trust, Files.readString(trust) + unbelieved.substring(unbelieved.indexOf("-----BEGIN")));
        String refused = refusal(secure);
        assertTrue(refused.contains("does not believe the certificate of `tls`"), refused);
        TRUSTED.add(own.certificate());
        FakeHost host = new FakeHost();
        try (Cutter cutter = new Cutter(port); AcknowledgingReader reader = reader(withLogin(secure, PlantServer.PASSWORD)
                .with("server", "opc.tcp://127.0.0.1:" + cutter.port() + "/plant"), host)) {
            reader.open();
            until(() -> host.given.size() == 1, host);
            cutter.cut();
            server.set(PUMP, -1.0);
            server.set(PUMP, -2.0);
            cutter.mend();
            until(() -> host.given.size() == 3, host);
            assertEquals(List.of("{\"v\":-1.0}", "{\"v\":-2.0}"), values(host).subList(1, 3));
        }
        assertTrue(host.warnings.stream().noneMatch(each -> each.contains("lost") || each.contains("ended the sub")),
                host.warnings::toString);
    }
}
