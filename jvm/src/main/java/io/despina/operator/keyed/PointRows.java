package io.despina.operator.keyed;

import io.despina.expr.Projection;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.Reason;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.state.LayoutAdapter;
import io.despina.state.ScratchPacket;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Writes the rows of points, of a {@link Resample} or a {@link TimelyResample}. */
final class PointRows {
    /** In place of the time of the next packet: there is none. */
    static final long NONE = Long.MAX_VALUE;
    /** The greatest part of the way to the next packet: a point before it is not at it. */
    private static final double MOST = Math.nextDown(1.0);

    private final OperatorContext context;
    private final Output out;
    private final Projection row;
    private final ScratchPacket point;
    /** Adds NULL to the columns of the next packet, if there may be none. */
    private final LayoutAdapter adapter;
    /** The next packet where there is none; null if there always is one. */
    private final Packet nothing;
    private final Packet[] three = new Packet[3];

    PointRows(OperatorContext context, Resample.Options options) {
        this.context = context;
        out = context.output(0);
        row = options.row().instance(context.instance());
        boolean end = options.points().groupsEnd();
        point = new ScratchPacket((end ? Resample.POINT_OF_ENDING : Resample.POINT).layout());
        Schema input = context.input(0);
        Schema next = end ? input.allNullable() : input;
        adapter = new LayoutAdapter(input, next);
        nothing = end ? LayoutAdapter.nulls(next) : null;
    }

    /**
     * The packets of the rows that are written next, for as long as they are valid.
     *
     * @param last at or before the points
     * @param next after them, or the same at a packet; null for none
     */
    void between(Packet last, Packet next) {
        three[0] = last;
        three[1] = next == null ? nothing : adapter.adapt(next);
    }

    /** @param from the time of the last packet, @param to of the next one, or {@link #NONE} */
    void write(long at, long from, long to) throws Exception {
        PacketWriter writer = point.begin();
        writer.setLong(0, at);
        writer.setBoolean(1, at == from);
        writer.setLong(2, counted(at - from));
        if (to == NONE) {
            writer.setNull(3);
            writer.setNull(4);
        } else {
            writer.setLong(3, counted(to - from));
            writer.setDouble(4, at == from ? 0 : Math.min(MOST, real(at - from) / real(to - from)));
        }
        three[2] = point.commit();
        try {
            PacketWriter written = out.writer().begin();
            row.apply(three, written);
            written.commit();
        } catch (RuntimeException bad) {
            context.badRecord("the point " + Instant.EPOCH.plus(at, ChronoUnit.MICROS) + ": " + Reason.of(bad), "");
        }
    }

    /** A difference of two times, which may be more than a long holds: then its greatest value. */
    private static long counted(long difference) {
        return difference < 0 ? Long.MAX_VALUE : difference;
    }

    private static double real(long difference) {
        return difference < 0 ? 2.0 * (difference >>> 1) : difference;
    }
}
