package io.despina.operator.join;

import io.despina.operator.KeyReader;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.OrderedInput;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketOrder;
import io.despina.spec.Matching;
import io.despina.state.KeyedPackets;
import io.despina.state.KeyedTable;
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
    /** How many right packets are checked per packet, in turn, to drop those that are too old. */
    private static final int SWEPT = 2;

    private final JoinOptions options;
    private final Matching.AsOf asOf;

    private OperatorContext context;
    private OrderedInput left;
    private OrderedInput right;
    private KeyReader leftKey;
    private KeyReader rightKey;
    /** Compares a left packet with a right one of the same time; null if time alone counts. */
    private PacketOrder between;
    private KeyedPackets latest;
    private JoinedRow row;
    private OperatorState state;
    private Packet match;
    private int swept;

    public AsOfJoin(JoinOptions options, Matching.AsOf asOf) {
        this.options = options;
        this.asOf = asOf;
    }

    @Override
    public void open(OperatorContext opened) {
        context = opened;
        leftKey = new KeyReader(options.leftKeys(), opened.instance());
        rightKey = new KeyReader(options.rightKeys(), opened.instance());
        left = new OrderedInput(opened, LEFT, new OrderedInput.Waiting(options.left().order(), opened.input(LEFT), "left_"),
                leftKey);
        right = new OrderedInput(opened, RIGHT, new OrderedInput.Waiting(options.right().order(), options.rightKept(), "right_"),
                rightKey);
        between = asOf.compareOrder() ? PacketOrder.between(opened.input(LEFT).layout(), options.left().order().orderBy(),
                options.rightKept().layout(), options.right().order().orderBy()) : null;
        latest = new KeyedPackets("latest", options.leftKeys().schema(), options.leftKeys().buckets(), options.rightKept());
        row = new JoinedRow(options, opened.input(0), opened.instance(), opened.output(0));
        match = new Packet(options.rightKept().layout());
        state = new OperatorState(opened).with(left.states()).with(right.states()).with(latest);
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
                keep(right.waiting().head());
                right.waiting().dropHead();
                rightReady = right.isReady();
            } else {
                join(left.waiting().head());
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
                && (between == null || between.compare(left.waiting().head(), right.waiting().head()) >= 0);
    }

    private void keep(Packet packet) throws Exception {
        try {
            Packet key = rightKey.of(packet);
            if (!rightKey.hasNull()) {
                latest.put(latest.find(key), key, packet);
            }
        } catch (RuntimeException bad) {
            right.badRecord(bad, packet);
        }
        if (asOf.maxAge() != Matching.AsOf.ANY_AGE) {
            sweep(packet.getLong(options.right().order().time()));
        }
    }

    /** Drops right packets that are too old. No left packet before {@code time} follows. */
    private void sweep(long time) {
        for (int k = 0; k < SWEPT && latest.limit() > 0; k++) {
            swept = swept + 1 < latest.limit() ? swept + 1 : 0;
            if (latest.view(swept, match) && isTooOld(match, time)) {
                latest.remove(swept);
            }
        }
    }

    /** For packets that are not after {@code time}; the difference may overflow a long. */
    private boolean isTooOld(Packet of, long time) {
        long age = time - of.getLong(options.right().order().time());
        return asOf.maxAge() != Matching.AsOf.ANY_AGE && Long.compareUnsigned(age, asOf.maxAge()) > 0;
    }

    private void join(Packet packet) throws Exception {
        try {
            Packet key = leftKey.of(packet);
            int entry = leftKey.hasNull() ? KeyedTable.NONE : latest.find(key);
            if (entry != KeyedTable.NONE && latest.view(entry, match)
                    && !isTooOld(match, packet.getLong(options.left().order().time())) && row.matches(packet, match)) {
                row.emit(packet, match);
            } else if (options.how().keepsLeft()) {
                row.emitLeft(packet);
            }
        } catch (RuntimeException bad) {
            context.badRecord(bad, packet);
        }
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
