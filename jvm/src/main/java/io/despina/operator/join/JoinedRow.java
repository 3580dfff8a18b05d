package io.despina.operator.join;

import io.despina.expr.Predicate;
import io.despina.expr.Projection;
import io.despina.operator.Output;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.state.LayoutAdapter;

/** Tests pairs of packets and writes their rows. */
final class JoinedRow {
    private final Predicate condition;
    private final Projection select;
    private final Output out;
    private final Packet nulls;
    private final Packet[] pair = new Packet[2];

    JoinedRow(JoinOptions options, int instance, Output out) {
        condition = options.condition() == null ? null : options.condition().instance(instance);
        select = options.select().instance(instance);
        nulls = options.outer() ? LayoutAdapter.nulls(options.rightKept()) : null;
        this.out = out;
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
    void emitUnmatched(Packet left) {
        emit(left, nulls);
    }
}
