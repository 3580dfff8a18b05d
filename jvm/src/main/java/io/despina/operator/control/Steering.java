package io.despina.operator.control;

import io.despina.operator.Holding;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.Reason;
import io.despina.packet.Bytes;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.ControlAnswer;
import io.despina.spec.ControlCommand;
import io.despina.state.Held;
import io.despina.state.State;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Tells operators of its own graph what its packets say, one after the other, and gives what they answer. It takes packets while
 * a command is under way: a mark of {@code sync} has to pass it. Ports: in; out.
 */
public final class Steering implements Holding {
    private static final String NO_MARK = "the input of the operator that asks has ended, and no mark comes to it any more";

    /** A row per answer. */
    public static final Schema ANSWERS = Schema.of(new Column("at", Simple.TIMESTAMP, false),
            new Column("command", Simple.STRING, true), new Column("operator", Simple.STRING, true),
            new Column("instance", Simple.INT, true), new Column("ok", Simple.BOOLEAN, false),
            new Column("answer", Simple.STRING, false));

    /** The input's columns of the three texts; -1 where there is none. */
    public record Columns(int command, int operator, int argument) {
    }

    /** The command that is under way. */
    private static final class UnderWay {
        /** Written (volatile) once by any thread. */
        private volatile List<ControlAnswer> answers;
        /** Written before {@link #answers}; null if it was done. */
        private String refused;

        void answered(List<ControlAnswer> all, Throwable why) {
            refused = why == null ? null : Reason.of(why);
            answers = why == null ? all : List.of();
        }
    }

    private final Set<ControlCommand> allowed;
    private final Columns columns;
    private final GraphControl graph;
    private final PendingCommands pending = new PendingCommands();

    private OperatorContext context;
    private Output out;
    /** Null unless the first of the pending ones was told. */
    private UnderWay told;
    /** How many of its answers have left. */
    private int given;
    private boolean isAtEnd;

    public Steering(Set<ControlCommand> allowed, Columns columns, GraphControl graph) {
        this.allowed = allowed;
        this.columns = columns;
        this.graph = graph;
    }

    @Override
    public void open(OperatorContext opened) {
        context = opened;
        out = opened.output(0);
    }

    @Override
    public void process(int port, PacketCursor packets) {
        Packet packet;
        while (out.hasRoom() && (packet = packets.next()) != null) {
            take(packet);
        }
        report();
    }

    private void take(Packet packet) {
        PendingCommands.Wanted wanted = new PendingCommands.Wanted(text(packet, columns.command),
                text(packet, columns.operator), text(packet, columns.argument));
        String not = whyNot(packet.isNull(columns.command), wanted);
        if (not != null) {
            give(wanted, new ControlAnswer(wanted.operator(), -1, false, not));
            return;
        }
        pending.add(wanted);
        tellFirst();
    }

    private static String text(Packet packet, int column) {
        return column < 0 || packet.isNull(column) ? "" : new String(packet.copyOfValue(column), StandardCharsets.UTF_8);
    }

    /** Why the packet is no command that this operator may give; null if it is one. */
    private String whyNot(boolean isNull, PendingCommands.Wanted wanted) {
        if (isNull) {
            return "the command is NULL";
        }
        if (wanted.length() > PendingCommands.LONGEST) {
            return "a command of " + wanted.length() + " characters; at most " + PendingCommands.LONGEST + " are taken";
        }
        ControlCommand command = ControlCommand.of(wanted.command());
        if (command == null) {
            return "there is no command `" + wanted.command() + "`; there are "
                    + String.join(", ", ControlCommand.words());
        }
        if (!allowed.contains(command)) {
            String may = allowed.isEmpty() ? "nothing" : allowed.stream().map(ControlCommand::word).sorted()
                    .collect(Collectors.joining(", "));
            return "`" + wanted.command() + "` is not allowed: `allow` of operator `" + context.operatorId() + "` has " + may;
        }
        return pending.isFull() ? PendingCommands.MOST + " commands wait for their turn" : null;
    }

    private void tellFirst() {
        PendingCommands.Wanted first = pending.first();
        if (told != null || first == null) {
            return;
        }
        UnderWay begun = new UnderWay();
        told = begun;
        given = 0;
        if (isAtEnd && isSync(first)) {
            begun.answered(null, new IllegalStateException(NO_MARK));
            context.wake();
            return;
        }
        graph.tell(first.command(), first.operator(), first.argument()).whenComplete((answers, why) -> {
            begun.answered(answers, why);
            context.wake();
        });
    }

    private static boolean isSync(PendingCommands.Wanted wanted) {
        return wanted.command().equals(ControlCommand.SYNC.word());
    }

    @Override
    public boolean timer(long micros) {
        while (told != null && told.answers != null) {
            if (!leave()) {
                return false;
            }
            pending.removeFirst();
            told = null;
            tellFirst();
        }
        report();
        return true;
    }

    /** @return false if the output is full */
    private boolean leave() {
        PendingCommands.Wanted first = pending.first();
        int rows = told.refused == null ? told.answers.size() : 1;
        for (; given < rows; given++) {
            if (!out.hasRoom()) {
                return false;
            }
            give(first, told.refused == null ? told.answers.get(given)
                    : new ControlAnswer(first.operator(), -1, false, told.refused));
        }
        return true;
    }

    private void give(PendingCommands.Wanted wanted, ControlAnswer answer) {
        // whatever a packet says, and however long an answer is, the row fits
        int room = Math.max(0, context.maxPacketBytes() - Bytes.MAX_VARINT - ANSWERS.layout().fixedBytes());
        byte[] text = Reason.utf8(answer.answer(), room / 2);
        byte[] command = Reason.utf8(wanted.command(), (room - text.length) / 2);
        byte[] operator = Reason.utf8(answer.operator(), room - text.length - command.length);
        PacketWriter row = out.writer().begin();
        row.setLong(0, context.wallMicros());
        set(row, 1, command);
        set(row, 2, operator);
        if (answer.instance() < 0) {
            row.setNull(3);
        } else {
            row.setInt(3, answer.instance());
        }
        row.setBoolean(4, answer.ok());
        row.setBytes(5, text, 0, text.length);
        row.commit();
    }

    private static void set(PacketWriter row, int column, byte[] text) {
        if (text.length == 0) {
            row.setNull(column);
        } else {
            row.setBytes(column, text, 0, text.length);
        }
    }

    private void report() {
        context.stateBytes(pending.bytes());
    }

    @Override
    public void idle() {
        out.idle();
    }

    /** A mark that is under way would have to come by the input, and never does. */
    @Override
    public boolean end() {
        if (!isAtEnd) {
            isAtEnd = true;
            if (told != null && told.answers == null && isSync(pending.first())) {
                told = null;
                tellFirst();
            }
        }
        return pending.first() == null;
    }

    @Override
    public List<State> states() {
        return pending.states();
    }

    @Override
    public Held held() {
        return Held.waiting(pending.size());
    }

    @Override
    public void restored() throws Exception {
        pending.restored(context.instance(), context.parallelism());
        tellFirst();
        report();
    }
}
