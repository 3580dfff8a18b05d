package io.despina.state;

import io.despina.operator.Rows;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** States with packets under their keys' own clocks, for {@link FrozenStatesTest}. */
final class ClockedSubjects {
    static final Schema SCHEMA = Schema.of(new Column("n", Simple.BIGINT, false), new Column("s", Simple.STRING, true));
    static final Schema KEY = Schema.of(new Column("n", Simple.BIGINT, false));
    static final KeyBuckets BUCKETS = new KeyBuckets(KEY, 256);
    private static final int KEYS = 6;
    private static final long DELAY = 30;

    private ClockedSubjects() {
    }

    static Packet key(Packet packet) {
        return Rows.packet(KEY, packet.getLong(0) % KEYS);
    }

    private static Packet packet(long time, Random random) {
        return Rows.packet(SCHEMA, time - (random.nextInt(3) == 0 ? random.nextInt(2 * (int) DELAY) : 0),
                "v".repeat(random.nextInt(60)) + random.nextInt());
    }

    /** Packets that wait for the clock of their key. */
    static final class WaitingByKey implements FrozenStatesTest.Freezable {
        private final ClockedPackets clocks = new ClockedPackets("tested", new ClockedPackets.Key(KEY, BUCKETS,
                greatest -> Math.max(greatest, Long.MIN_VALUE + DELAY) - DELAY, ClockedSubjects::key), SCHEMA,
                EventOrder.by(0, 1));
        /** What waits by key, in event order; of a restored one it is empty. */
        private final Map<Long, List<String>> model = new TreeMap<>();
        private long time = 100;
        private boolean changed;

        @Override
        public State state() {
            return clocks;
        }

        @Override
        public void change(Random random) {
            changed = true;
            time += random.nextInt(4);
            Packet packet = packet(time, random);
            ClockedPackets.KeyClock clock = clocks.clock(key(packet));
            List<String> waiting = model.computeIfAbsent(packet.getLong(0) % KEYS, any -> new ArrayList<>());
            if (random.nextInt(20) == 0) {
                clocks.moveOn(clock.entry(), Long.MAX_VALUE, random.nextInt(5));
            } else if (packet.getLong(0) >= clock.watermark()) {
                clocks.add(clock, packet.getLong(0), packet);
                waiting.add(text(packet));
                waiting.sort(null);
            }
            for (int left = random.nextInt(4); left > 0 && clock.isReady(); left--) {
                clocks.dropHead(clock);
                waiting.remove(0);
            }
            if (random.nextInt(5) == 0) {
                clocks.compact();
            }
            if (random.nextInt(700) == 0) {
                clocks.clear();
                model.clear();
            }
        }

        private static String text(Packet packet) {
            return "%06d %s".formatted(packet.getLong(0), Rows.read(packet, SCHEMA).get(1));
        }

        /** Of a restored one it takes out what is there. */
        @Override
        public List<String> contents() {
            if (!changed) {
                clocks.restored(0);
            }
            List<String> contents = new ArrayList<>();
            for (long n = 0; n < KEYS; n++) {
                int entry = clocks.find(Rows.packet(KEY, n));
                if (entry != KeyedTable.NONE) {
                    ClockedPackets.KeyClock clock = clocks.clock(Rows.packet(KEY, n));
                    contents.add(n + ": " + clock.greatest() + " " + clock.watermark());
                    contents.addAll(changed ? model.get(n) : taken(clock));
                }
            }
            return contents;
        }

        private List<String> taken(ClockedPackets.KeyClock clock) {
            List<String> taken = new ArrayList<>();
            clock.stop();
            while (clock.isReady()) {
                taken.add(text(clocks.head(clock)));
                clocks.dropHead(clock);
            }
            return taken;
        }
    }

    /** Packets of two streams, which are kept after they were taken. */
    static final class Pairs implements FrozenStatesTest.Freezable {
        private final PairedPackets packets = new PairedPackets(KEY, BUCKETS, stream(EventOrder.by(0)),
                stream(EventOrder.by(0, 1)));
        private long time = 100;

        private static PairedPackets.Stream stream(EventOrder order) {
            return new PairedPackets.Stream(SCHEMA, order, DELAY, Long.MAX_VALUE, ClockedSubjects::key,
                    packet -> (int) packet.getLong(0));
        }

        @Override
        public State state() {
            return packets;
        }

        @Override
        public void change(Random random) {
            time += random.nextInt(4);
            Packet packet = packet(time, random);
            PairClock clock = packets.clock(key(packet));
            boolean ofLeft = random.nextBoolean();
            ClockedLine line = ofLeft ? clock.left() : clock.right();
            if (packet.getLong(0) >= packets.watermark(clock)) {
                packets.add(clock, ofLeft, packet, (int) packet.getLong(0));
                packets.advance(clock, ofLeft, packet.getLong(0));
            }
            for (int left = random.nextInt(3); left > 0 && line.isReady(packets.watermark(clock)); left--) {
                packets.take(clock, ofLeft);
            }
            packets.reach(clock);
            if (random.nextInt(5) == 0) {
                packets.compact();
            }
            if (line.first() < line.end() && random.nextInt(3) == 0) {
                packets.mark(clock, ofLeft, random.nextInt(line.first(), line.end()));
            }
            if (line.first() < line.next() && random.nextInt(2) == 0) {
                packets.dropFirst(clock, ofLeft);
            }
        }

        @Override
        public List<String> contents() {
            List<String> contents = new ArrayList<>();
            for (long n = 0; n < KEYS; n++) {
                PairClock clock = packets.clock(Rows.packet(KEY, n));
                contents.add(n + ": " + clock.reached());
                addLine(clock.left(), true, contents);
                addLine(clock.right(), false, contents);
            }
            return contents;
        }

        private void addLine(ClockedLine line, boolean ofLeft, List<String> contents) {
            contents.add(line.greatest + ", " + (line.next() - line.first()) + " taken");
            Packet view = new Packet(SCHEMA.layout());
            for (int k = line.first(); k < line.end(); k++) {
                packets.view(line, ofLeft, k, view);
                contents.add(line.time(k) + " " + line.group(k) + " " + line.isMarked(k) + " " + Rows.read(view, SCHEMA));
            }
        }
    }
}
