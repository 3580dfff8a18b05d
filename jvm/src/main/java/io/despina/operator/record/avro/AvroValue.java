package io.despina.operator.record.avro;

import io.despina.operator.record.value.BrokenRecord;
import io.despina.operator.record.value.ByteCursor;
import io.despina.operator.record.value.Scalar;
import io.despina.packet.NestedWriter;

/** Reads values of a writer's schema as those of one type: by {@link #build} where that is nested, and else by {@link #read}. */
abstract class AvroValue {

    /** @return false for NULL */
    boolean read(ByteCursor in, Scalar to) {
        throw new IllegalStateException("a nested value");
    }

    /** Adds the value at the end. @return false for NULL; then nothing is written */
    boolean build(ByteCursor in, NestedWriter out) {
        throw new IllegalStateException("no nested value");
    }

    /** Of Avro's type null. */
    static final class OfNull extends AvroValue {
        @Override
        boolean read(ByteCursor in, Scalar to) {
            return false;
        }

        @Override
        boolean build(ByteCursor in, NestedWriter out) {
            return false;
        }
    }

    /** A branch of a union that the type cannot hold: a record that has it is bad. */
    static final class Unreadable extends AvroValue {
        private final String why;

        Unreadable(String why) {
            this.why = why;
        }

        @Override
        boolean read(ByteCursor in, Scalar to) {
            throw new BrokenRecord(why);
        }

        @Override
        boolean build(ByteCursor in, NestedWriter out) {
            throw new BrokenRecord(why);
        }
    }

    /** Of a union. */
    static final class OfUnion extends AvroValue {
        private final AvroValue[] branches;

        OfUnion(AvroValue[] branches) {
            this.branches = branches;
        }

        private AvroValue branch(ByteCursor in) {
            return branches[index(in, branches.length)];
        }

        @Override
        boolean read(ByteCursor in, Scalar to) {
            return branch(in).read(in, to);
        }

        @Override
        boolean build(ByteCursor in, NestedWriter out) {
            return branch(in).build(in, out);
        }
    }

    /** A number below {@code count}. */
    static int index(ByteCursor in, int count) {
        long index = in.zigzag();
        if (index < 0 || index >= count) {
            throw new BrokenRecord("there is no branch or symbol " + index + " of " + count);
        }
        return (int) index;
    }
}
