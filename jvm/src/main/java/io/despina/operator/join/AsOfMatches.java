package io.despina.operator.join;

import io.despina.operator.OperatorContext;
import io.despina.operator.order.KeyReader;
import io.despina.packet.Packet;
import io.despina.packet.PacketOrder;
import io.despina.spec.Matching;
import io.despina.state.KeyedPackets;
import io.despina.state.KeyedTable;
import io.despina.state.LayoutAdapter;
import java.util.function.ToLongFunction;

/** The latest right packet of each key, and the rows of left packets. Packets come here in event order. */
final class AsOfMatches {
    private static final int LEFT = 0;
    /** How many right packets are checked per packet, in turn, to drop those that are too old. */
    private static final int SWEPT = 2;

    private final JoinOptions options;
    private final Matching.AsOf asOf;
    private final OperatorContext context;
    private final KeyReader leftKey;
    private final KeyReader rightKey;
    /** Of right packets, for reports of bad ones. */
    private final LayoutAdapter adapter;
    /** Compares a left packet with a right one of the same time; null if time alone counts. */
    private final PacketOrder between;
    private final KeyedPackets latest;
    private final JoinedRow row;
    private final Packet match;
    private final Packet key;
    private int swept;

    AsOfMatches(OperatorContext context, JoinOptions options, Matching.AsOf asOf) {
        this.options = options;
        this.asOf = asOf;
        this.context = context;
        var keys = options.leftKeys();
        leftKey = new KeyReader(keys, context.instance());
        rightKey = new KeyReader(options.rightKeys(), context.instance());
        adapter = new LayoutAdapter(context.input(1), options.rightKept());
        between = asOf.compareOrder() ? PacketOrder.between(context.input(LEFT).layout(), options.left().order().orderBy(),
                options.rightKept().layout(), options.right().order().orderBy()) : null;
        latest = new KeyedPackets("latest", keys.schema(), options.buckets(), options.rightKept());
        row = new JoinedRow(options, context.input(LEFT), context.instance(), context.output(0));
        match = new Packet(options.rightKept().layout());
        key = new Packet(keys.schema().layout());
    }

    KeyReader leftKey() {
        return leftKey;
    }

    KeyReader rightKey() {
        return rightKey;
    }

    /** The latest packets, for snapshots. */
    KeyedPackets state() {
        return latest;
    }

    /** Whether of two packets of the same time other columns say which is first. */
    boolean comparesPeers() {
        return between != null;
    }

    /** Whether a right packet is at or before a left one of the same time, by these columns. */
    boolean isAtOrBefore(Packet right, Packet left) {
        return between.compare(left, right) >= 0;
    }

    void keep(Packet right) throws Exception {
        try {
            Packet of = rightKey.of(right);
            if (!rightKey.hasNull()) {
                latest.put(latest.find(of), of, right);
            }
        } catch (RuntimeException bad) {
            context.badRecord(bad, adapter.back(right));
        }
    }

    void join(Packet left) throws Exception {
        try {
            Packet of = leftKey.of(left);
            int entry = leftKey.hasNull() ? KeyedTable.NONE : latest.find(of);
            if (entry != KeyedTable.NONE && latest.view(entry, match)
                    && !isTooOld(match, left.getLong(options.left().order().time())) && row.matches(left, match)) {
                row.emit(left, match);
            } else if (options.how().keepsLeft()) {
                row.emitLeft(left);
            }
        } catch (RuntimeException bad) {
            context.badRecord(bad, left);
        }
    }

    /** Drops right packets that are too old. No left packet before {@code time} follows. */
    void sweep(long time) {
        for (int k = 0; k < SWEPT && turn(); k++) {
            if (latest.view(swept, match) && isTooOld(match, time)) {
                latest.remove(swept);
            }
        }
    }

    /** The same by the clocks of keys. @param reached the time before which no left packet of a key follows */
    void sweep(ToLongFunction<Packet> reached) {
        for (int k = 0; k < SWEPT && turn(); k++) {
            if (latest.view(swept, match)) {
                latest.key(swept, key);
                long time = reached.applyAsLong(key);
                if (time > match.getLong(options.right().order().time()) && isTooOld(match, time)) {
                    latest.remove(swept);
                }
            }
        }
    }

    /** Goes on to the next packet; false if none can be too old. */
    private boolean turn() {
        if (asOf.maxAge() == Matching.AsOf.ANY_AGE || latest.limit() == 0) {
            return false;
        }
        swept = swept + 1 < latest.limit() ? swept + 1 : 0;
        return true;
    }

    /** For packets that are not after {@code time}; the difference may overflow a long. */
    private boolean isTooOld(Packet of, long time) {
        long age = time - of.getLong(options.right().order().time());
        return asOf.maxAge() != Matching.AsOf.ANY_AGE && Long.compareUnsigned(age, asOf.maxAge()) > 0;
    }
}
