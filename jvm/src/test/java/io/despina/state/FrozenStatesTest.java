package io.despina.state;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.operator.Rows;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** A snapshot is of one instant: whatever happens to a state while it is written, what is restored is what was there then. */
class FrozenStatesTest {
    private static final Schema FIXED = Schema.of(new Column("n", Simple.BIGINT, false), new Column("v", Simple.BIGINT, true));
    private static final Schema VARIABLE = Schema.of(new Column("n", Simple.BIGINT, false), new Column("s", Simple.STRING, true));
    private static final Schema LONG_KEY = Schema.of(new Column("s", Simple.STRING, false));
    private static final Schema NUMBER_KEY = Schema.of(new Column("n", Simple.BIGINT, false));
    private static final int CHANGES = 400;

    /** A state, what may happen to it, and what it holds, as text. */
    interface Freezable {
        State state();

        void change(Random random);

        List<String> contents();
    }

    private static Object value(Schema schema, Random random) {
        return random.nextInt(9) == 0 ? null : schema == FIXED ? (Object) random.nextLong()
                : "v".repeat(random.nextInt(random.nextInt(80) == 0 ? 6_000 : 200)) + random.nextInt();
    }

    /** Values by key, of one width or of many. */
    private static final class Table implements Freezable {
        private final Schema keys;
        private final Schema values;
        private final KeyedPackets table;
        private final ScratchPacket scratch;

        Table(Schema keys, Schema values) {
            this.keys = keys;
            this.values = values;
            table = new KeyedPackets("tested", keys, 256, values);
            scratch = new ScratchPacket(values.layout());
        }

        @Override
        public State state() {
            return table;
        }

        @Override
        public void change(Random random) {
            if (random.nextInt(300) == 0) {
                table.clear();
            }
            long n = random.nextInt(150);
            Packet key = keys == NUMBER_KEY ? Rows.packet(keys, n) : Rows.packet(keys, "k".repeat((int) n % 40) + n);
            int entry = table.find(key);
            if (entry != KeyedTable.NONE && random.nextInt(4) == 0) {
                table.remove(entry);
            } else {
                put(entry, key, Rows.packet(values, n, value(values, random)), random.nextBoolean());
            }
        }

        /** @param moved by the scratch, which gives large ones away */
        private void put(int entry, Packet key, Packet value, boolean moved) {
            if (moved) {
                PacketWriter out = scratch.begin();
                out.setColumn(0, value, 0);
                out.setColumn(1, value, 1);
                scratch.commit();
                table.put(entry, key, scratch);
            } else {
                table.put(entry, key, value);
            }
        }

        @Override
        public List<String> contents() {
            List<String> contents = new ArrayList<>();
            Packet view = new Packet(values.layout());
            for (int entry = 0; entry < table.limit(); entry++) {
                if (table.view(entry, view)) {
                    contents.add(Rows.read(view, values).toString());
                }
            }
            contents.sort(null);
            return contents;
        }
    }

    /** Packets by time, some of which come late. */
    private static final class Waiting implements Freezable {
        private final EventBuffer buffer = new EventBuffer("tested", VARIABLE, EventOrder.by(0), any -> 3);
        /** What waits, in event order; of a restored one it is empty. */
        private final List<List<Object>> model = new ArrayList<>();
        private long time;

        @Override
        public State state() {
            return buffer;
        }

        @Override
        public void change(Random random) {
            time += random.nextInt(3);
            if (buffer.isEmpty() || random.nextInt(5) > 1) {
                Packet packet = Rows.packet(VARIABLE, time - (random.nextInt(4) == 0 ? random.nextInt(50) : 0),
                        value(VARIABLE, random));
                buffer.add(packet);
                int at = model.size();
                while (at > 0 && (Long) model.get(at - 1).get(0) > packet.getLong(0)) {
                    at--;
                }
                model.add(at, Rows.read(packet, VARIABLE));
            } else {
                buffer.dropHead();
                model.remove(0);
            }
        }

        /** Of a restored one it takes out what is there. */
        @Override
        public List<String> contents() {
            List<List<Object>> contents = new ArrayList<>(model);
            while (model.isEmpty() && !buffer.isEmpty()) {
                contents.add(Rows.read(buffer.head(), VARIABLE));
                buffer.dropHead();
            }
            return contents.stream().map(Object::toString).toList();
        }
    }

    /** Packets that are held for a time. */
    private static final class Kept implements Freezable {
        private final HeldPackets held = new HeldPackets("tested", VARIABLE);
        /** What is held, in order; of a restored one it is empty. */
        private final List<String> model = new ArrayList<>();
        private long time;

        @Override
        public State state() {
            return held;
        }

        @Override
        public void change(Random random) {
            if (random.nextInt(400) == 0) {
                held.clear();
                model.clear();
            }
            if (held.isEmpty() || random.nextInt(5) > 1) {
                Packet packet = Rows.packet(VARIABLE, ++time, value(VARIABLE, random));
                held.add(time, packet, time - 5);
                model.add(time + " " + (time - 5) + " " + Rows.read(packet, VARIABLE));
            } else {
                held.removeFirst();
                model.remove(0);
            }
        }

        /** Of a restored one it takes out what is there. */
        @Override
        public List<String> contents() {
            List<String> contents = new ArrayList<>(model);
            while (model.isEmpty() && !held.isEmpty()) {
                contents.add(held.firstTime() + " " + held.firstWatermark() + " " + Rows.read(held.first(), VARIABLE));
                held.removeFirst();
            }
            return contents;
        }
    }

    /** Both sides of an interval join have one. */
    private static final class Timed implements Freezable {
        private final Timeline timeline = new Timeline("tested", VARIABLE, 0, new Timeline.Keys(NUMBER_KEY, 256,
                packet -> key(number(packet))));
        private long time;

        @Override
        public State state() {
            return timeline;
        }

        private static long number(Packet packet) {
            return Long.parseLong((String) Rows.read(packet, VARIABLE).get(1));
        }

        private static Packet key(long n) {
            return n % 5 == 0 ? null : Rows.packet(NUMBER_KEY, n);
        }

        @Override
        public void change(Random random) {
            time += random.nextInt(3);
            long n = random.nextInt(12);
            if (timeline.isEmpty() || random.nextInt(5) > 1) {
                timeline.add(key(n), Rows.packet(VARIABLE, time - (random.nextInt(4) == 0 ? random.nextInt(20) : 0), "" + n));
            } else if (key(n) != null && timeline.of(key(n)) != null) {
                timeline.mark(key(n), random.nextInt(timeline.of(key(n)).first(), timeline.of(key(n)).end()));
            } else {
                timeline.headList(key(number(timeline.head())));
                timeline.removeHead();
            }
        }

        @Override
        public List<String> contents() {
            List<String> contents = new ArrayList<>();
            for (long n = 0; n < 12; n++) {
                TimedList list = key(n) == null && n > 0 ? null : timeline.of(key(n));
                Packet view = new Packet(VARIABLE.layout());
                for (int k = list == null ? 0 : list.first(); list != null && k < list.end(); k++) {
                    timeline.view(list.place(k), view);
                    contents.add(n + " " + list.isMarked(k) + " " + Rows.read(view, VARIABLE));
                }
            }
            return contents;
        }
    }

    /** Each key has its latest packets, the last of which may be on the way yet. */
    private static final class Trailing implements Freezable {
        private final KeyedTable<PacketDeque> table = new KeyedTable<>("tested", NUMBER_KEY, 256, new Sizes());
        private final KeyedDeques<PacketDeque> deques = new KeyedDeques<>(table, VARIABLE, new Contents());
        /** By entry, how many of its packets are on the way. */
        private final Map<Integer, Integer> onTheWay = new HashMap<>();
        private long time;

        private record Sizes() implements ValueFormat.Rebuilt<PacketDeque> {
            @Override
            public String schema() {
                return VARIABLE.sql();
            }

            @Override
            public long bytes(PacketDeque value) {
                return value.bytes();
            }
        }

        private record Contents() implements KeyedDeques.OfPackets<PacketDeque> {
            @Override
            public Packet key(Packet packet) {
                return Rows.packet(NUMBER_KEY, packet.getLong(0) % 7);
            }

            @Override
            public long time(Packet packet) {
                return packet.getLong(0);
            }

            @Override
            public PacketDeque restored(PacketDeque packets) {
                return packets;
            }

            @Override
            public PacketDeque packets(PacketDeque value) {
                return value;
            }
        }

        @Override
        public State state() {
            return deques;
        }

        @Override
        public void change(Random random) {
            Packet packet = Rows.packet(VARIABLE, ++time, value(VARIABLE, random));
            Packet key = new Contents().key(packet);
            int entry = table.find(key);
            PacketDeque deque = entry == KeyedTable.NONE ? deques.newDeque() : table.get(entry);
            entry = entry == KeyedTable.NONE ? table.add(key, deque) : entry;
            deque.add(time, packet);
            int late = onTheWay.getOrDefault(entry, 0) + 1;
            for (; late > 0 && random.nextInt(3) > 0; late--) {
                deque.list(deque.size() - late);
            }
            onTheWay.put(entry, late);
            for (int left = random.nextInt(4); left > 0 && deque.size() > late; left--) {
                deque.removeFirst();
            }
            if (deque.isEmpty()) {
                table.remove(entry);
            }
            if (random.nextInt(500) == 0) {
                deques.clear();
                onTheWay.clear();
            }
        }

        @Override
        public List<String> contents() {
            List<String> contents = new ArrayList<>();
            Packet view = new Packet(VARIABLE.layout());
            for (long n = 0; n < 7; n++) {
                int entry = table.find(Rows.packet(NUMBER_KEY, n));
                PacketDeque deque = entry == KeyedTable.NONE ? deques.newDeque() : table.get(entry);
                for (int k = 0; k < deque.size() - onTheWay.getOrDefault(entry, 0); k++) {
                    deque.view(k, view);
                    contents.add(Rows.read(view, VARIABLE).toString());
                }
            }
            return contents;
        }
    }

    /** Windows that open and fire. */
    private static final class Windows implements Freezable {
        private final WindowTables<Packet> windows = new WindowTables<>("tested", NUMBER_KEY, 256,
                KeyedPackets.format("tested", VARIABLE));

        @Override
        public State state() {
            return windows;
        }

        @Override
        public void change(Random random) {
            if (!windows.isEmpty() && random.nextInt(60) == 0) {
                windows.removeFirst();
                return;
            }
            long start = windows.isEmpty() ? random.nextInt(100) : windows.start(0) + random.nextInt(4);
            KeyedTable<Packet> table = windows.at(start);
            Packet key = Rows.packet(NUMBER_KEY, (long) random.nextInt(40));
            int entry = table.find(key);
            Packet value = Rows.packet(VARIABLE, start, value(VARIABLE, random)).kept();
            if (entry == KeyedTable.NONE) {
                table.add(key, value);
            } else {
                table.set(entry, value);
            }
        }

        @Override
        public List<String> contents() {
            List<String> contents = new ArrayList<>();
            for (int k = 0; k < windows.size(); k++) {
                KeyedTable<Packet> table = windows.table(k);
                List<String> rows = new ArrayList<>();
                for (int entry = 0; entry < table.limit(); entry++) {
                    rows.add(windows.start(k) + " " + Rows.read(table.get(entry), VARIABLE));
                }
                rows.sort(null);
                contents.addAll(rows);
            }
            return contents;
        }
    }

    private static final List<Supplier<Freezable>> SUBJECTS = List.of(() -> new Table(NUMBER_KEY, FIXED),
            () -> new Table(NUMBER_KEY, VARIABLE), () -> new Table(LONG_KEY, FIXED), () -> new Table(LONG_KEY, VARIABLE),
            Waiting::new, Kept::new, Timed::new, Trailing::new, Windows::new,
            ClockedSubjects.WaitingByKey::new, ClockedSubjects.Pairs::new, ListSubjects.GrowingTable::new,
            ListSubjects.GrowingWindows::new, ListSubjects.CountingTable::new);

    @Property(tries = 100)
    void isOfOneInstant(@ForAll long seed) throws IOException {
        for (Supplier<Freezable> each : SUBJECTS) {
            Random random = new Random(seed);
            Freezable subject = each.get();
            for (int round = 0; round < 3; round++) {
                change(subject, random, random.nextInt(CHANGES));
                List<String> expected = subject.contents();
                Freezable restored = each.get();
                try (Snapshots snapshot = new Snapshots(List.of(subject.state()), 1 + random.nextInt(2_000))) {
                    boolean given = random.nextInt(5) == 0;
                    while (!given && !snapshot.write()) {
                        change(subject, random, random.nextInt(60));
                    }
                    if (!given) {
                        Snapshots.restore(restored.state(), snapshot.all().get(subject.state().name()));
                        assertEquals(expected, restored.contents(), subject.state().getClass() + ", seed " + seed);
                        assertArrayEquals(Snapshots.of(restored.state()), Snapshots.of(restored.state()));
                    }
                }
            }
        }
    }

    @Property(tries = 40)
    void aChainIsAsGoodAsItsBase(@ForAll long seed) throws IOException {
        for (Supplier<Freezable> each : SUBJECTS) {
            Random random = new Random(seed);
            Freezable subject = each.get();
            List<Map<String, byte[]>> chain = new ArrayList<>();
            for (int epoch = 0; epoch < 6; epoch++) {
                change(subject, random, random.nextInt(3) == 0 ? random.nextInt(CHANGES / 2) : random.nextInt(9));
                List<String> expected = subject.contents();
                boolean anew = chain.isEmpty() || random.nextInt(5) == 0;
                try (Snapshots snapshot = new Snapshots(List.of(subject.state()), 1 + random.nextInt(2_000), !anew)) {
                    boolean dropped = random.nextInt(6) == 0;
                    int until = dropped ? random.nextInt(4) : Integer.MAX_VALUE;
                    for (int slice = 0; slice < until && !snapshot.write(); slice++) {
                        change(subject, random, slice < 5 ? random.nextInt(40) : 0);
                    }
                    if (anew || dropped) {
                        chain.clear();
                    }
                    if (!dropped) {
                        chain.add(snapshot.all());
                    }
                }
                if (!chain.isEmpty()) {
                    Freezable restored = each.get();
                    new Share(0, 1, 256).restore(List.of(restored.state()), List.of(Snapshots.chain(chain)));
                    assertEquals(expected, restored.contents(), subject.state().getClass() + ", seed " + seed + ", epoch "
                            + epoch + ", chain " + chain.size());
                }
            }
        }
    }

    private static void change(Freezable subject, Random random, int times) {
        for (int k = 0; k < times; k++) {
            subject.change(random);
        }
    }
}
