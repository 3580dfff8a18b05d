package io.despina.operator.join;

import io.despina.expr.Predicate;
import io.despina.expr.Projection;
import io.despina.operator.Output;
import io.despina.operator.order.WindowBounds;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.state.LayoutAdapter;

/** Tests pairs of packets and writes their rows. */
final class JoinedRow {
    private final Predicate condition;
    private final Projection select;
    private final Output out;
    private final Packet noLeft;
    private final Packet noRight;
    /** Left and right, and of a windowed join the window and its time. */
    private final Packet[] pair = new Packet[4];
    private final WindowBounds bounds = new WindowBounds();

    /** @param left schema of the left input */
    JoinedRow(JoinOptions options, Schema left, int instance, Output out) {
        condition = options.condition() == null ? null : options.condition().instance(instance);
        select = options.select().instance(instance);
        noLeft = options.how().keepsRight() ? LayoutAdapter.nulls(left.allNullable()) : null;
        noRight = options.how().keepsLeft() ? LayoutAdapter.nulls(options.rightKept()) : null;
        this.out = out;
    }

    /** The rows that follow are of the window with these bounds, in microseconds. */
    void window(long start, long end) {
        bounds.put(start, end, pair, 2);
    }

    boolean matches(Packet left, Packet right) {
        pair[0] = left;
        pair[1] = right;
        return condition == null || condition.test(pair);
    }

    void emit(Packet left, Packet right) {
        pair[0] = left;
        pair[1] = right;
        PacketWriter row = out.writer().begin();
        select.apply(pair, row);
        row.commit();
    }

    /** The row of a left packet that has no match. */
    void emitLeft(Packet left) {
        emit(left, noRight);
    }

    /** The row of a right packet that has no match. */
    void emitRight(Packet right) {
        emit(noLeft, right);
    }
}
