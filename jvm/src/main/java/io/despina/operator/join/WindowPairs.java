package io.despina.operator.join;

import io.despina.operator.OperatorContext;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.state.LayoutAdapter;
import java.util.BitSet;

/** Writes the rows of one key's packets in a window that closes, and knows where it stopped when the output was full. */
final class WindowPairs {
    private final OperatorContext context;
    private final JoinedRow row;
    private final JoinOptions.How how;
    private final Adapters adapters;
    private final Packet left;
    private final Packet right;

    /** The left packet that is compared, by position; those before it are done. */
    private int leftAt;
    private boolean leftMatched;
    /** The next right packet to compare it with, by position and number. */
    private int rightAt;
    private int rightNumber;
    /** Right packets that have a match, by number. */
    private final BitSet matched = new BitSet();
    /** Of the right packets without a match, those before this number have left. */
    private int aloneAt;
    private int aloneNumber;

    /** From the layouts of the inputs to those that packets are kept in. */
    record Adapters(LayoutAdapter left, LayoutAdapter right, Schema leftKept, Schema rightKept) {
    }

    WindowPairs(OperatorContext context, JoinedRow row, JoinOptions.How how, Adapters adapters) {
        this.context = context;
        this.row = row;
        this.how = how;
        this.adapters = adapters;
        left = new Packet(adapters.leftKept.layout());
        right = new Packet(adapters.rightKept.layout());
    }

    /**
     * Writes what is left of their rows.
     *
     * @param apart whether the key equals nothing, so that its packets have no match
     * @return false if the output is full: call again with the same arguments
     */
    boolean leave(WindowSides of, boolean apart) throws Exception {
        while (leftAt < of.left().end()) {
            int next = of.left().view(leftAt, left);
            if (!apart && !meet(of.right())) {
                return false;
            }
            if (how.keepsLeft() && !leftMatched) {
                if (!context.hasRoom()) {
                    return false;
                }
                leaveAlone(left, true);
            }
            leftAt = next;
            leftMatched = false;
            rightAt = 0;
            rightNumber = 0;
        }
        return (!how.keepsRight() || leaveRight(of.right())) && done();
    }

    private boolean meet(PacketList rights) throws Exception {
        while (rightAt < rights.end()) {
            if (!context.hasRoom()) {
                return false;
            }
            rightAt = rights.view(rightAt, right);
            if (isPair()) {
                leftMatched = true;
                if (how.keepsRight()) {
                    matched.set(rightNumber);
                }
            }
            rightNumber++;
        }
        return true;
    }

    /** Writes the pair's row if the condition holds. A pair whose evaluation fails counts as not matching. */
    private boolean isPair() throws Exception {
        try {
            boolean matches = row.matches(left, right);
            if (matches) {
                row.emit(left, right);
            }
            return matches;
        } catch (RuntimeException bad) {
            context.badRecord(bad, adapters.left.back(left));
            return false;
        }
    }

    private boolean leaveRight(PacketList rights) throws Exception {
        while (aloneAt < rights.end()) {
            if (!context.hasRoom()) {
                return false;
            }
            aloneAt = rights.view(aloneAt, right);
            if (!matched.get(aloneNumber++)) {
                leaveAlone(right, false);
            }
        }
        return true;
    }

    private void leaveAlone(Packet packet, boolean isLeft) throws Exception {
        try {
            if (isLeft) {
                row.emitLeft(packet);
            } else {
                row.emitRight(packet);
            }
        } catch (RuntimeException bad) {
            context.badRecord(bad, (isLeft ? adapters.left : adapters.right).back(packet));
        }
    }

    private boolean done() {
        leftAt = 0;
        aloneAt = 0;
        aloneNumber = 0;
        matched.clear();
        return true;
    }
}
