package io.despina.state;

import io.despina.packet.ListInput;
import io.despina.packet.Packet;
import java.io.ByteArrayInputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * The values whose lists {@link FrozenLists} has taken apart, and the parts of these. In a chain a value may come before its
 * parts or behind them, so all wait here until they are read.
 */
final class ReturnedLists {
    private final String name;
    private final List<Value> values = new ArrayList<>();
    /** By key and id of its list, the parts from the first on. */
    private final Map<ByteBuffer, Map<Integer, List<byte[]>>> parts = new HashMap<>();

    private record Value(byte[] key, byte[] bytes) {
    }

    /** Takes a value. */
    @FunctionalInterface
    interface ValueTaker {
        /** @param value to be read to its end */
        void take(Packet key, DataInput value) throws IOException;
    }

    /** @param name of their state */
    ReturnedLists(String name) {
        this.name = name;
    }

    /** Reads the rest of an entry behind its key. */
    void read(Packet key, SectionReader entry) throws IOException {
        byte[] bytes = key.kept().bytes();
        if (entry.isPart()) {
            int id = entry.data().readInt();
            parts.computeIfAbsent(ByteBuffer.wrap(bytes), none -> new HashMap<>())
                    .computeIfAbsent(id, none -> new ArrayList<>()).add(entry.data().readAllBytes());
        } else {
            values.add(new Value(bytes, entry.data().readAllBytes()));
        }
    }

    /** Gives all values, whole. @param key a view */
    void giveTo(Packet key, ValueTaker taker) throws SnapshotException {
        try {
            give(key, taker);
        } catch (SnapshotException refused) {
            throw refused;
        } catch (IOException cut) {
            throw new SnapshotException("state `" + name + "`: a value is cut short", cut);
        }
    }

    private void give(Packet key, ValueTaker taker) throws IOException {
        for (Value each : values) {
            Map<Integer, List<byte[]>> lists = parts.computeIfAbsent(ByteBuffer.wrap(each.key), none -> new HashMap<>());
            Joined in = new Joined(each.bytes, lists);
            StateFormat.view(each.key, 0, each.key.length, name, key);
            taker.take(key, in);
            if (in.available() > 0) {
                throw new SnapshotException("state `" + name + "`: a value has " + in.available() + " bytes too many");
            }
        }
        if (parts.values().stream().anyMatch(lists -> !lists.isEmpty())) {
            throw new SnapshotException("state `" + name + "`: elements of a list that no value has");
        }
        clear();
    }

    void clear() {
        values.clear();
        parts.clear();
    }

    private final class Joined extends DataInputStream implements ListInput {
        private final Map<Integer, List<byte[]>> lists;

        Joined(byte[] bytes, Map<Integer, List<byte[]>> lists) {
            super(new ByteArrayInputStream(bytes));
            this.lists = lists;
        }

        @Override
        public void apart(ElementReader elements) throws IOException {
            int id = readInt();
            int count = readInt();
            int read = 0;
            List<byte[]> of = lists.remove(id);
            for (Iterator<byte[]> each = of == null ? List.<byte[]>of().iterator() : of.iterator(); each.hasNext();) {
                DataInputStream part = new DataInputStream(new ByteArrayInputStream(each.next()));
                int some = StateFormat.readCount(part, name, Integer.MAX_VALUE - read);
                elements.read(some, part);
                read += some;
                if (part.available() > 0) {
                    throw new SnapshotException("state `" + name + "`: a part has " + part.available() + " bytes too many");
                }
            }
            if (read != count) {
                throw new SnapshotException("state `" + name + "`: a list has " + read + " elements apart, not " + count);
            }
        }
    }
}
