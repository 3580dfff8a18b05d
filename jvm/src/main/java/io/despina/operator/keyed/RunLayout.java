package io.despina.operator.keyed;

import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What is kept of a run of a pattern: own columns, and by step {@code step.column} and {@code last(step.column)} of the last
 * packet that the step took, {@code first(step.column)} of the first one, and {@code count(step)}. Those of a step that took none
 * are NULL, and 0.
 */
public final class RunLayout {
    private static final int START = 0;
    private static final int STEP = 1;
    private static final int TAKEN = 2;
    private static final int OWN = 3;
    private static final int COMPLETE = -1;

    private enum Of { FIRST, LAST, COUNT }

    /** What a column is: of which step, and of which column of its packet. */
    private record Kept(Column column, Of of, int step, int origin) {
    }

    private final Schema schema;
    private final List<Kept> kept;
    /** The columns of the run's last packet that {@code select} reads. */
    private final List<Integer> reads;

    private RunLayout(List<Kept> kept, List<Integer> reads) {
        this.kept = List.copyOf(kept);
        this.reads = List.copyOf(reads);
        List<Column> columns = new ArrayList<>(List.of(new Column("pattern start", Type.Simple.BIGINT, false),
                new Column("pattern step", Type.Simple.INT, false), new Column("pattern taken", Type.Simple.BIGINT, false)));
        kept.forEach(each -> columns.add(each.column));
        schema = new Schema(columns);
    }

    /**
     * All that expressions may name.
     *
     * @param steps their names; null for one that takes no packets
     */
    public static RunLayout all(Schema input, List<String> steps) {
        List<Kept> kept = new ArrayList<>();
        for (int step = 0; step < steps.size(); step++) {
            String name = steps.get(step);
            if (name == null) {
                continue;
            }
            kept.add(new Kept(new Column("count(" + name + ")", Type.Simple.BIGINT, false), Of.COUNT, step, -1));
            for (int k = 0; k < input.size(); k++) {
                String path = name + "." + input.column(k).name();
                Type type = input.column(k).type();
                kept.add(new Kept(new Column(path, type, true), Of.LAST, step, k));
                kept.add(new Kept(new Column("last(" + path + ")", type, true), Of.LAST, step, k));
                kept.add(new Kept(new Column("first(" + path + ")", type, true), Of.FIRST, step, k));
            }
        }
        return new RunLayout(kept, List.of());
    }

    /**
     * Only what is read.
     *
     * @param columns ordinals in {@link #schema}
     * @param packet  ordinals of the columns of the last packet
     */
    public RunLayout only(Set<Integer> columns, List<Integer> packet) {
        return new RunLayout(kept.stream().filter(each -> columns.contains(OWN + kept.indexOf(each))).toList(), packet);
    }

    public Schema schema() {
        return schema;
    }

    List<Integer> reads() {
        return reads;
    }

    /** A run that has taken nothing. */
    void blank(PacketWriter out) {
        out.setLong(START, 0);
        out.setInt(STEP, 0);
        out.setLong(TAKEN, 0);
        for (int k = 0; k < kept.size(); k++) {
            if (kept.get(k).of == Of.COUNT) {
                out.setLong(OWN + k, 0);
            } else {
                out.setNull(OWN + k);
            }
        }
    }

    /**
     * Writes what a run is after a packet.
     *
     * @param step  that took it
     * @param taken by that step, with this packet
     */
    void advance(Packet run, Packet packet, int step, long taken, PacketWriter out) {
        for (int k = 0; k < kept.size(); k++) {
            Kept each = kept.get(k);
            if (each.step != step || each.of == Of.FIRST && taken > 1) {
                out.setColumn(OWN + k, run, OWN + k);
            } else if (each.of == Of.COUNT) {
                out.setLong(OWN + k, taken);
            } else {
                out.setColumn(OWN + k, packet, each.origin);
            }
        }
    }

    /** Sets the own columns. */
    static void set(PacketWriter out, long start, int step, long taken) {
        out.setLong(START, start);
        out.setInt(STEP, step);
        out.setLong(TAKEN, taken);
    }

    static void setComplete(PacketWriter out) {
        out.setInt(STEP, COMPLETE);
    }

    static long start(Packet run) {
        return run.getLong(START);
    }

    static int step(Packet run) {
        return run.getInt(STEP);
    }

    /** How many packets its step has taken. */
    static long taken(Packet run) {
        return run.getLong(TAKEN);
    }

    static boolean isComplete(Packet run) {
        return run.getInt(STEP) == COMPLETE;
    }
}
