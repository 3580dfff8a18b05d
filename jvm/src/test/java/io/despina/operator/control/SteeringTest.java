package io.despina.operator.control;

import static io.despina.operator.Rows.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorHarness;
import io.despina.packet.Bytes;
import io.despina.packet.Column;
import io.despina.packet.PacketCursor;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.ControlAnswer;
import io.despina.spec.ControlCommand;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SteeringTest {
    private static final Schema COMMANDS = Schema.of(new Column("command", Simple.STRING, true),
            new Column("operator", Simple.STRING, true), new Column("argument", Simple.STRING, true));
    private static final Steering.Columns COLUMNS = new Steering.Columns(0, 1, 2);

    /** What the job was told, and what it has not answered. */
    private final List<String> told = new ArrayList<>();
    private final ArrayDeque<CompletableFuture<List<ControlAnswer>>> open = new ArrayDeque<>();

    private OperatorHarness.Setup steering(Set<ControlCommand> allowed, Steering.Columns columns) {
        return OperatorHarness.of(() -> new Steering(allowed, columns, (command, operator, argument) -> {
            told.add(command + " " + operator + " " + argument);
            open.add(new CompletableFuture<>());
            return open.getLast();
        })).inputs(COMMANDS).outputs(Steering.ANSWERS).room(1 << 14, 8);
    }

    private OperatorHarness all() throws Exception {
        return steering(EnumSet.allOf(ControlCommand.class), COLUMNS).open();
    }

    private void answer(OperatorHarness steering, ControlAnswer... answers) throws Exception {
        open.remove().complete(List.of(answers));
        woken(steering);
    }

    /** As a task does it. */
    private static void woken(OperatorHarness steering) throws Exception {
        steering.wakeAt = steering.now / 1_000;
        steering.passTo(steering.wakeAt);
    }

    private static List<Object> refused(String command, String operator, String why) {
        return Arrays.asList(0L, command, operator, null, false, why);
    }

    @Test
    void eachInstanceGivesARow() throws Exception {
        try (OperatorHarness steering = all()) {
            steering.feedRow(0, "flush", "names", "x").feedRow(0, "hold", null, null);
            assertEquals(List.of("flush names x"), told, "one after the other");
            assertEquals(List.of(), steering.rows(0));
            answer(steering, new ControlAnswer("names", 0, true, ""), new ControlAnswer("names", 1, false, "why"));
            assertEquals(List.of("flush names x", "hold  "), told);
            answer(steering);
            assertEquals(List.of(row(0L, "flush", "names", 0, true, ""), row(0L, "flush", "names", 1, false, "why")),
                    steering.rows(0));
            assertEquals(0, steering.stateBytes);
        }
    }

    @Test
    void whatIsNoCommandIsAnswered() throws Exception {
        try (OperatorHarness steering = steering(EnumSet.of(ControlCommand.GO, ControlCommand.FLUSH), COLUMNS).open()) {
            steering.feedRow(0, null, "names", null).feedRow(0, "flsh", null, null).feedRow(0, "hold", "made", null)
                    .feedRow(0, "flush", null, "x".repeat(4_000));
            assertEquals(List.of(refused(null, "names", "the command is NULL"),
                    refused("flsh", null, "there is no command `flsh`; there are fire, flush, go, hold, move, reload, "
                            + "set_schedule, status, sync, tail"),
                    refused("hold", "made", "`hold` is not allowed: `allow` of operator `tested` has flush, go"),
                    refused("flush", null, "a command of 4005 characters; at most 4000 are taken")), steering.rows(0));
            assertEquals(List.of(), told);
        }
    }

    /** The operator in a job whose packets are short. */
    private record Narrow(Steering steering, int most) implements Operator {
        @Override
        public void open(OperatorContext opened) {
            steering.open((OperatorContext) Proxy.newProxyInstance(getClass().getClassLoader(),
                    new Class<?>[] {OperatorContext.class}, (proxy, method, given) -> method.getName().equals("maxPacketBytes")
                            ? most : method.invoke(opened, given)));
        }

        @Override
        public void process(int port, PacketCursor packets) {
            steering.process(port, packets);
        }

        @Override
        public boolean timer(long micros) {
            return steering.timer(micros);
        }
    }

    @Test
    void whatIsLongerThanAPacketIsCut() throws Exception {
        int most = 160;
        GraphControl graph = (command, operator, argument) -> CompletableFuture.completedFuture(
                List.of(new ControlAnswer("names", 0, true, "é".repeat(most))));
        try (OperatorHarness steering = OperatorHarness.of(() -> new Narrow(new Steering(EnumSet.of(ControlCommand.FLUSH),
                COLUMNS, graph), most)).inputs(COMMANDS).outputs(Steering.ANSWERS).room(1 << 14, 8).open()) {
            steering.feedRow(0, "x".repeat(most), null, null).feedRow(0, "y".repeat(5_000), "z".repeat(most), null)
                    .feedRow(0, "flush", "names", null);
            woken(steering);
            List<List<Object>> rows = steering.rows(0);
            assertEquals(3, rows.size());
            for (List<Object> row : rows) {
                int bytes = Steering.ANSWERS.layout().fixedBytes() + Stream.of(1, 2, 5).map(row::get).filter(Objects::nonNull)
                        .mapToInt(text -> text.toString().getBytes(StandardCharsets.UTF_8).length).sum();
                assertTrue(bytes <= most - Bytes.MAX_VARINT, row + " has " + bytes + " bytes");
            }
            assertTrue(rows.get(0).get(5).toString().startsWith("there is no command `xx"));
            assertTrue(rows.get(1).get(5).toString().startsWith("a command of 5160 characters"));
            assertEquals(Arrays.asList("flush", "names", 0, true), rows.get(2).subList(1, 5));
        }
    }

    @Test
    void nothingIsAllowedUnlessTheGraphSaysSo() throws Exception {
        try (OperatorHarness steering = steering(Set.of(), new Steering.Columns(0, -1, -1)).open()) {
            steering.feedRow(0, "flush", "names", null);
            assertEquals(List.of(refused("flush", null, "`flush` is not allowed: `allow` of operator `tested` has nothing")),
                    steering.rows(0));
        }
    }

    @Test
    void whatTheJobRefusesIsAnsweredAndTheNextOneIsTold() throws Exception {
        try (OperatorHarness steering = all()) {
            steering.feedRow(0, "hold", "nobody", null).feedRow(0, "go", "made", null);
            open.remove().completeExceptionally(new IllegalStateException("no operator `nobody` in g"));
            woken(steering);
            assertEquals(List.of(refused("hold", "nobody", "no operator `nobody` in g")), steering.rows(0));
            assertEquals("go made ", told.get(1));
        }
    }

    @Test
    void soManyWaitAndNoMore() throws Exception {
        try (OperatorHarness steering = all()) {
            for (int k = 0; k < 256; k++) {
                steering.feedRow(0, "flush", "names", null);
            }
            assertEquals(List.of(), steering.rows(0));
            assertTrue(steering.stateBytes > 256 * 10, "they count as memory");
            steering.feedRow(0, "flush", "names", null);
            assertEquals(List.of(refused("flush", "names", "256 commands wait for their turn")), steering.rows(0));
            assertEquals(256, steering.operator().held().packets());
        }
    }

    @Test
    void theEndWaitsForAnswersAndAMarkIsGivenUp() throws Exception {
        try (OperatorHarness steering = all()) {
            steering.feedRow(0, "sync", null, null).feedRow(0, "hold", "made", null).feedRow(0, "sync", null, null);
            assertFalse(steering.operator().end());
            woken(steering);
            assertEquals(List.of("sync  ", "hold made "), told);
            assertFalse(steering.operator().end());
            open.remove().complete(List.of(new ControlAnswer("made", 0, true, "")));
            woken(steering);
            assertEquals(1, steering.rows(0).size(), "the mark's answer comes too late");
            answer(steering, new ControlAnswer("made", 0, true, ""));
            String no = "the input of the operator that asks has ended, and no mark comes to it any more";
            assertEquals(List.of(refused("sync", null, no), row(0L, "hold", "made", 0, true, ""), refused("sync", null, no)),
                    steering.rows(0));
            assertTrue(steering.operator().end());
        }
    }

    @Test
    void whatIsNotAnsweredIsToldAgainAfterARestart() throws Exception {
        Map<String, byte[]> snapshot;
        try (OperatorHarness before = all()) {
            before.feedRow(0, "hold", "made", "ä\"\u0000").feedRow(0, "go", "made", null);
            snapshot = before.snapshot();
        }
        told.clear();
        open.clear();
        try (OperatorHarness after = all().restart(snapshot)) {
            assertEquals(List.of("hold made ä\"\u0000"), told);
            answer(after, new ControlAnswer("made", 0, true, ""));
            assertEquals("go made ", told.get(1));
        }
    }
}
