package io.despina.operator.join;

import io.despina.operator.OperatorContext;
import io.despina.packet.Bytes;
import io.despina.packet.Packet;
import io.despina.state.ClockedLine;
import io.despina.state.PairedPackets;

/**
 * Compares packets of a clock's two sides and writes the rows of pairs. Several keys of a join may share a clock; then the keys
 * of two packets are compared too.
 */
final class ClockedPairs {
    private final OperatorContext context;
    private final ClockedInputs inputs;
    private final PairedPackets packets;
    private final JoinedRow row;
    /** Whether packets of a clock may have different keys. */
    private final boolean finer;
    private final Packet left;
    private final Packet right;
    /** Of the packet whose pairs are looked for. */
    private Packet key;
    private boolean ofLeft;
    private int group;

    ClockedPairs(OperatorContext context, JoinOptions options, ClockedInputs inputs, JoinedRow row) {
        this.context = context;
        this.inputs = inputs;
        this.row = row;
        packets = inputs.packets();
        finer = !ClockedInputs.isWholeKey(options);
        left = new Packet(inputs.side(true).kept.layout());
        right = new Packet(inputs.side(false).kept.layout());
    }

    /**
     * The pairs that follow are of this packet.
     *
     * @return false if its key equals nothing
     */
    boolean begin(ClockedLine line, int index, boolean isLeft) {
        ofLeft = isLeft;
        group = line.group(index);
        Packet own = isLeft ? left : right;
        packets.view(line, isLeft, index, own);
        ClockedInputs.JoinInput side = inputs.side(isLeft);
        key = side.key.of(own);
        return !side.key.hasNull();
    }

    /** Whether the packet matches one of the other side. If so, their row is written. A pair that fails does not match. */
    boolean pair(ClockedLine others, int index) throws Exception {
        if (others.group(index) != group) {
            return false;
        }
        Packet other = ofLeft ? right : left;
        packets.view(others, !ofLeft, index, other);
        if (finer && !isEqual(inputs.side(!ofLeft).key.of(other))) {
            return false;
        }
        try {
            boolean matches = row.matches(left, right);
            if (matches) {
                row.emit(left, right);
            }
            return matches;
        } catch (RuntimeException bad) {
            context.badRecord(bad, inputs.side(true).adapter.back(left));
            return false;
        }
    }

    private boolean isEqual(Packet other) {
        int size = key.size();
        return size == other.size() && Bytes.equal(key.bytes(), key.start(), other.bytes(), other.start(), size);
    }

    /** Writes the row of a packet that has no match. */
    void alone(ClockedLine line, int index, boolean isLeft) throws Exception {
        Packet packet = isLeft ? left : right;
        packets.view(line, isLeft, index, packet);
        try {
            if (isLeft) {
                row.emitLeft(packet);
            } else {
                row.emitRight(packet);
            }
        } catch (RuntimeException bad) {
            context.badRecord(bad, inputs.side(isLeft).adapter.back(packet));
        }
    }
}
