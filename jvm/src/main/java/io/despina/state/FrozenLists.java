package io.despina.state;

import io.despina.packet.ListOutput;
import io.despina.packet.Packet;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Writes the values of a table at one instant without the first elements of their long lists; these follow as entries of their
 * own, as far as no snapshot has them as they are. They may be written after the value has changed or left, because an element
 * does not change, or is kept as it was.
 *
 * <pre>
 * content of a part = what all entries of the table begin with · key (packet) · id of the list (4) · number of elements (4)
 *                     · elements
 * </pre>
 *
 * @param <V> a value
 */
final class FrozenLists<V> {
    private final ListParts parts;
    private final ValueFormat<V> format;
    private final SectionWriter one = new SectionWriter(Long.BYTES);
    private final Output output = new Output();
    private final ArrayDeque<ListParts.Known> gone = new ArrayDeque<>();
    private final ArrayDeque<Rest> rest = new ArrayDeque<>();
    private Packet key;
    private Packet keyCopy;
    private int entry;

    /** Parts of a list that are to be written. */
    private static final class Rest {
        final Packet key;
        final ListParts.Known known;
        final ListOutput.ElementWriter elements;
        private final int[] parts;
        private int next;

        Rest(Packet key, ListParts.Known known, ListOutput.ElementWriter elements, int[] parts) {
            this.key = key;
            this.known = known;
            this.elements = elements;
            this.parts = parts;
        }

        int nextPart() {
            return parts[next++];
        }

        boolean isDone() {
            return next == parts.length;
        }
    }

    /** The bytes of a value, and whether elements are apart of it. */
    record ValueBytes(byte[] bytes, int size, boolean isCut) {
        /** A copy, which stays. */
        ValueBytes kept() {
            return new ValueBytes(Arrays.copyOf(bytes, size), size, isCut);
        }
    }

    private final class Output extends DataOutputStream implements ListOutput {
        private boolean isCut;

        Output() {
            super(one.stream());
        }

        @Override
        public int apart(Object list, int size, ElementWriter elements) throws IOException {
            int full = size / PART;
            if (full == 0) {
                return 0;
            }
            ListParts.Known known = parts.meet(entry, list);
            int[] unwritten = IntStream.range(0, full)
                    .filter(part -> part >= known.wanted() || elements.hasChanged(part * PART, (part + 1) * PART)).toArray();
            if (unwritten.length > 0) {
                keyCopy = keyCopy == null ? key.kept() : keyCopy;
                rest.add(new Rest(keyCopy, known, elements, unwritten));
                Arrays.stream(unwritten).forEach(part -> elements.keep(part * PART, (part + 1) * PART));
                known.want(full);
            }
            isCut = true;
            writeInt(APART);
            writeInt(known.id);
            writeInt(full * PART);
            return full * PART;
        }
    }

    /** @param changes whether what the snapshot before has is left out */
    FrozenLists(ListParts parts, ValueFormat<V> format, boolean changes) {
        this.parts = parts;
        this.format = format;
        if (!changes) {
            parts.forgetAll();
        }
    }

    /** Writes a value. What is returned is valid until the next call. */
    ValueBytes write(int ofEntry, Packet ofKey, V value) throws IOException {
        one.replace(one.bytes());
        entry = ofEntry;
        key = ofKey;
        keyCopy = null;
        output.isCut = false;
        parts.begin(ofEntry);
        format.write(value, output);
        gone.addAll(parts.end(ofEntry));
        return new ValueBytes(one.bytes(), one.size(), output.isCut);
    }

    /** An entry has left. */
    void gone(int ofEntry) {
        gone.addAll(parts.gone(ofEntry));
    }

    /** Whether all is written that follows from the values that were. */
    boolean isDone() {
        return gone.isEmpty() && rest.isEmpty();
    }

    /** Writes an entry of the lists' group. */
    void writeNext(TablePart part, SectionWriter to) throws IOException {
        if (!gone.isEmpty()) {
            int number = parts.takeBack(gone.peek());
            if (number < 0) {
                gone.remove();
            } else {
                to.gone(number, 1);
            }
            return;
        }
        Rest next = rest.peek();
        int which = next.nextPart();
        int bucket = StateFormat.flagged(part.bucket(next.key), StateFormat.PART);
        DataOutput content = to.beginEntry(bucket, parts.number(next.known, which));
        part.belongs().write(content);
        to.packet(next.key);
        content.writeInt(next.known.id);
        content.writeInt(ListOutput.PART);
        next.elements.write(which * ListOutput.PART, (which + 1) * ListOutput.PART, content);
        to.endEntry();
        if (next.isDone()) {
            rest.remove();
        }
    }
}
