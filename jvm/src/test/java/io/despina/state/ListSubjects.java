package io.despina.state;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.operator.Rows;
import io.despina.packet.Column;
import io.despina.packet.ListInput;
import io.despina.packet.ListOutput;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** States whose values have lists that grow, for {@link FrozenStatesTest}. */
final class ListSubjects {
    static final Schema KEY = Schema.of(new Column("n", Simple.BIGINT, false));
    private static final int KEYS = 5;

    private ListSubjects() {
    }

    static Packet key(long n) {
        return Rows.packet(KEY, n);
    }

    /** Some lists in a value. */
    static final class GrowingLists {
        final List<List<String>> all = new ArrayList<>();

        @Override
        public String toString() {
            return all.toString();
        }
    }

    static final class GrowingFormat implements ValueFormat<GrowingLists> {
        @Override
        public String schema() {
            return "lists";
        }

        @Override
        public void write(GrowingLists value, DataOutput out) throws IOException {
            out.writeInt(value.all.size());
            for (List<String> each : value.all) {
                int apart = ListOutput.apart(out, each, each.size(), (from, to, part) -> write(each.subList(from, to), part));
                out.writeInt(each.size() - apart);
                write(each.subList(apart, each.size()), out);
            }
        }

        private static void write(List<String> some, DataOutput out) throws IOException {
            for (String each : some) {
                out.writeUTF(each);
            }
        }

        @Override
        public GrowingLists read(DataInput in) throws IOException {
            GrowingLists value = new GrowingLists();
            for (int left = in.readInt(); left > 0; left--) {
                List<String> list = new ArrayList<>();
                read(list, ListInput.begin(in, (some, part) -> read(list, some, part)), in);
                value.all.add(list);
            }
            return value;
        }

        private static void read(List<String> into, int some, DataInput in) throws IOException {
            for (int k = 0; k < some; k++) {
                into.add(in.readUTF());
            }
        }

        @Override
        public long bytes(GrowingLists value) {
            return 0;
        }
    }

    private static void change(KeyedTable<GrowingLists> table, Random random) {
        Packet key = key(random.nextInt(KEYS));
        int entry = table.find(key);
        if (entry == KeyedTable.NONE) {
            entry = table.add(key, new GrowingLists());
        } else if (random.nextInt(60) == 0) {
            table.remove(entry);
            return;
        } else if (random.nextInt(200) == 0) {
            table.set(entry, new GrowingLists());
        }
        GrowingLists value = table.edit(entry);
        if (value.all.isEmpty() || random.nextInt(80) == 0) {
            value.all.add(new ArrayList<>());
        }
        if (random.nextInt(150) == 0) {
            value.all.remove(0);
        }
        for (List<String> each : value.all) {
            for (int more = random.nextInt(40); more > 0; more--) {
                each.add("e" + random.nextInt());
            }
        }
    }

    private static void contents(String before, KeyedTable<GrowingLists> table, List<String> contents) {
        for (long n = 0; n < KEYS; n++) {
            int entry = table.find(key(n));
            contents.add(before + n + " " + (entry == KeyedTable.NONE ? null : table.get(entry)));
        }
    }

    static final class GrowingTable implements FrozenStatesTest.Freezable {
        private final KeyedTable<GrowingLists> table = new KeyedTable<>("tested", KEY, 256, new GrowingFormat());

        @Override
        public State state() {
            return table;
        }

        @Override
        public void change(Random random) {
            if (random.nextInt(300) == 0) {
                table.clear();
            }
            ListSubjects.change(table, random);
        }

        @Override
        public List<String> contents() {
            List<String> contents = new ArrayList<>();
            ListSubjects.contents("", table, contents);
            return contents;
        }
    }

    static final class GrowingWindows implements FrozenStatesTest.Freezable {
        private final WindowTables<GrowingLists> windows = new WindowTables<>("tested", KEY, 256, new GrowingFormat());

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
            long start = windows.isEmpty() ? random.nextInt(100) : windows.start(0) + random.nextInt(3);
            ListSubjects.change(windows.at(start), random);
        }

        @Override
        public List<String> contents() {
            List<String> contents = new ArrayList<>();
            for (int k = 0; k < windows.size(); k++) {
                if (windows.table(k).size() > 0) {
                    ListSubjects.contents(windows.start(k) + ": ", windows.table(k), contents);
                }
            }
            return contents;
        }
    }

    /** Numbers that are counted up, and to which others are added. */
    private static final class Counts implements ListOutput.ElementWriter {
        private final List<Integer> all = new ArrayList<>();
        private final BitSet changed = new BitSet();
        private final Map<Integer, List<Integer>> kept = new HashMap<>();

        private void count(int which) {
            all.set(which, all.get(which) + 1);
            changed.set(which / ListOutput.PART);
        }

        @Override
        public boolean hasChanged(int from, int to) {
            return changed.get(from / ListOutput.PART);
        }

        @Override
        public void keep(int from, int to) {
            assertEquals(ListOutput.PART, to - from);
            changed.clear(from / ListOutput.PART);
            kept.put(from, List.copyOf(all.subList(from, to)));
        }

        @Override
        public void write(int from, int to, DataOutput out) throws IOException {
            write(from, kept.remove(from), out);
        }

        private static void write(int from, List<Integer> some, DataOutput out) throws IOException {
            for (int k = 0; k < some.size(); k++) {
                out.writeInt(from + k);
                out.writeInt(some.get(k));
            }
        }

        private void read(int some, DataInput in) throws IOException {
            for (int k = 0; k < some; k++) {
                int which = in.readInt();
                while (all.size() <= which) {
                    all.add(0);
                }
                all.set(which, in.readInt());
            }
        }
    }

    private static final class CountsFormat implements ValueFormat<Counts> {
        @Override
        public String schema() {
            return "counts";
        }

        @Override
        public void write(Counts value, DataOutput out) throws IOException {
            int apart = ListOutput.apart(out, value, value.all.size(), value);
            out.writeInt(value.all.size() - apart);
            Counts.write(apart, value.all.subList(apart, value.all.size()), out);
        }

        @Override
        public Counts read(DataInput in) throws IOException {
            Counts value = new Counts();
            value.read(ListInput.begin(in, value::read), in);
            return value;
        }

        @Override
        public long bytes(Counts value) {
            return 0;
        }
    }

    /** Values with counts, any of which may change. */
    static final class CountingTable implements FrozenStatesTest.Freezable {
        private final KeyedTable<Counts> table = new KeyedTable<>("tested", KEY, 256, new CountsFormat());

        @Override
        public State state() {
            return table;
        }

        @Override
        public void change(Random random) {
            Packet key = key(random.nextInt(KEYS));
            int entry = table.find(key);
            if (entry == KeyedTable.NONE) {
                table.add(key, new Counts());
            } else if (random.nextInt(80) == 0) {
                table.remove(entry);
            } else {
                Counts value = table.edit(entry);
                for (int more = random.nextInt(40); more > 0; more--) {
                    value.all.add(1);
                }
                for (int more = value.all.isEmpty() ? 0 : random.nextInt(4); more > 0; more--) {
                    value.count(random.nextInt(value.all.size()));
                }
            }
        }

        @Override
        public List<String> contents() {
            List<String> contents = new ArrayList<>();
            for (long n = 0; n < KEYS; n++) {
                int entry = table.find(key(n));
                contents.add(n + " " + (entry == KeyedTable.NONE ? null : table.get(entry).all));
            }
            return contents;
        }
    }
}
