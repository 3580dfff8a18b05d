package io.despina.operator.join;

import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.order.OrderedInput;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.spec.Matching;
import io.despina.state.State;
import java.util.List;

/**
 * Joins each left packet with the greatest right packet of equal keys, in event order, at or before it. Packets of both sides
 * wait until the watermark passes them, and are then taken in one order, right before left at equal times. So only the latest
 * right packet of each key is kept. Inner: a left packet without a match gives no row; outer: a row with NULLs. Ports: left,
 * right; out, late.
 */
public final class AsOfJoin implements Operator {
    private static final int LEFT = 0;
    private static final int RIGHT = 1;

    private final JoinOptions options;
    private final Matching.AsOf asOf;

    private OperatorContext context;
    private OrderedInput left;
    private OrderedInput right;
    private AsOfMatches matches;
    private OperatorState state;

    public AsOfJoin(JoinOptions options, Matching.AsOf asOf) {
        this.options = options;
        this.asOf = asOf;
    }

    @Override
    public void open(OperatorContext opened) {
        context = opened;
        matches = new AsOfMatches(opened, options, asOf);
        left = new OrderedInput(opened, LEFT, new OrderedInput.Waiting(options.left().order(), opened.input(LEFT), "left_"),
                matches.leftKey());
        right = new OrderedInput(opened, RIGHT, new OrderedInput.Waiting(options.right().order(), options.rightKept(), "right_"),
                matches.rightKey());
        state = new OperatorState(opened).with(left.states()).with(right.states()).with(matches.state());
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        (port == LEFT ? left : right).accept(packets);
        state.report();
    }

    @Override
    public boolean watermark(long watermark) throws Exception {
        left.watermark(watermark);
        right.watermark(watermark);
        boolean leftReady = left.isReady();
        boolean rightReady = right.isReady();
        while ((leftReady || rightReady) && context.hasRoom()) {
            if (rightReady && (!leftReady || isRightFirst())) {
                Packet packet = right.waiting().head();
                matches.keep(packet);
                matches.sweep(packet.getLong(options.right().order().time()));
                right.waiting().dropHead();
                rightReady = right.isReady();
            } else {
                matches.join(left.waiting().head());
                left.waiting().dropHead();
                leftReady = left.isReady();
            }
        }
        state.report();
        return !leftReady && !rightReady;
    }

    /** Whether the first right packet is at or before the first left one. */
    private boolean isRightFirst() {
        long leftTime = left.waiting().headTime();
        long rightTime = right.waiting().headTime();
        if (leftTime != rightTime) {
            return rightTime < leftTime;
        }
        return !asOf.strict()
                && (!matches.comparesPeers() || matches.isAtOrBefore(right.waiting().head(), left.waiting().head()));
    }

    @Override
    public List<State> states() {
        return state.all();
    }

    @Override
    public void restored() {
        left.restored();
        right.restored();
    }
}
