package io.despina.operator.program;

import io.despina.operator.OperatorContext;
import io.despina.operator.Reason;
import io.despina.operator.Sink;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketJson;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.state.NamedEntries;
import io.despina.state.State;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Prints a limited number of packets as the lines of a table. Further packets are counted, and the count is printed at the end.
 * The types and the first packet determine the width of columns: a table that waited for more packets would show a slow stream
 * late.
 */
public final class ConsoleSink implements Sink {

    /** The output of lines; it may block. */
    @FunctionalInterface
    public interface Lines {
        void print(List<String> lines) throws InterruptedException;
    }

    /** The default number of lines. */
    public static final long MOST = 10_000;
    private static final String ROWS = "rows";
    private static final String WIDTHS = "widths";
    private static final int WIDEST = 40;
    /** By how much a column grows. The digits of DOUBLEs vary, so the width of the first one would be too narrow for many. */
    private static final int STEP = 8;
    private static final int BATCH = 256;

    private final Lines lines;
    private final long most;
    private Schema schema;
    private int[] widths;
    private long rows;
    private int instance;
    private int parallelism;
    private final NamedEntries printed = new NamedEntries("printed", this::standing);

    /** @param most rows to print */
    public ConsoleSink(Lines lines, long most) {
        this.lines = lines;
        this.most = most;
    }

    @Override
    public void open(OperatorContext context) {
        instance = context.instance();
        parallelism = context.parallelism();
        schema = context.input(0);
        widths = schema.columns().stream().mapToInt(c -> Math.max(c.name().length(), typical(c.type()))).toArray();
    }

    private static int typical(Type type) {
        if (!(type.stored() instanceof Type.Simple simple)) {
            return 12;
        }
        return switch (simple) {
            case BOOLEAN -> 5;
            case TINYINT, SMALLINT -> 6;
            case INT, DATE -> 10;
            case TIMESTAMP, TIMESTAMP_NTZ -> 27;
            default -> 12;
        };
    }

    @Override
    public void process(int port, PacketCursor packets) throws InterruptedException {
        List<String> batch = new ArrayList<>();
        Packet packet;
        while ((packet = packets.next()) != null) {
            if (rows == 0) {
                widen(packet);
                batch.addAll(head());
            }
            if (rows++ < most) {
                batch.add(line(packet));
            }
            if (batch.size() >= BATCH) {
                lines.print(batch);
                batch = new ArrayList<>();
            }
        }
        if (!batch.isEmpty()) {
            lines.print(batch);
        }
    }

    private void widen(Packet first) {
        for (int k = 0; k < widths.length; k++) {
            int lacking = cell(first, k).length() - widths[k];
            if (lacking > 0) {
                widths[k] = Math.min(WIDEST, widths[k] + (lacking + STEP - 1) / STEP * STEP);
            }
        }
    }

    private List<String> head() {
        StringBuilder names = new StringBuilder();
        StringBuilder rule = new StringBuilder();
        for (int k = 0; k < widths.length; k++) {
            append(names, k, Reason.visible(schema.column(k).name()), false);
            rule.append(k == 0 ? "" : "-+-").append("-".repeat(widths[k]));
        }
        return List.of(names.toString().stripTrailing(), rule.toString());
    }

    private String line(Packet packet) {
        StringBuilder line = new StringBuilder();
        IntStream.range(0, widths.length).forEach(k -> append(line, k, cell(packet, k), isNumber(schema.column(k).type())));
        return line.toString().stripTrailing();
    }

    private String cell(Packet packet, int k) {
        if (packet.isNull(k)) {
            return "NULL";
        }
        String text = schema.column(k).type() == Type.Simple.STRING
                ? new String(packet.copyOfValue(k), StandardCharsets.UTF_8) : PacketJson.value(schema, packet, k);
        String plain = text.startsWith("\"") && schema.column(k).type() != Type.Simple.STRING
                ? text.substring(1, text.length() - 1) : text;
        String visible = Reason.visible(plain);
        return visible.length() <= WIDEST ? visible : visible.substring(0, WIDEST - 1) + "…";
    }

    private static boolean isNumber(Type type) {
        return type instanceof Type.Decimal || type instanceof Type.Simple simple
                && simple.ordinal() >= Type.Simple.TINYINT.ordinal() && simple.ordinal() <= Type.Simple.DOUBLE.ordinal();
    }

    private void append(StringBuilder line, int k, String cell, boolean right) {
        String pad = " ".repeat(Math.max(0, widths[k] - cell.length()));
        line.append(k == 0 ? "" : " | ").append(right ? pad : "").append(cell).append(right ? "" : pad);
    }

    private Map<String, String> standing() {
        Map<String, String> standing = new LinkedHashMap<>();
        standing.put(ROWS, Long.toString(rows));
        standing.put(WIDTHS, Arrays.stream(widths).mapToObj(Integer::toString).collect(Collectors.joining(" ")));
        return standing;
    }

    @Override
    public List<State> states() {
        return List.of(printed);
    }

    /** The first instance continues the count of instances that no longer exist. */
    @Override
    public void restored() {
        List<Map<String, String>> found = printed.restored();
        for (int k = 0; k < found.size(); k++) {
            if (k == instance || instance == 0 && k >= parallelism) {
                rows += Long.parseLong(found.get(k).get(ROWS));
                String[] words = found.get(k).get(WIDTHS).split(" ");
                for (int column = 0; column < widths.length; column++) {
                    widths[column] = Math.max(widths[column], Integer.parseInt(words[column]));
                }
            }
        }
    }

    @Override
    public boolean end() throws InterruptedException {
        if (rows > most) {
            lines.print(List.of("… and " + (rows - most) + " more rows"));
        }
        return true;
    }
}
