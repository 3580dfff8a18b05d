package io.despina.operator.record.protobuf;

import io.despina.operator.record.value.Scalar;
import io.despina.packet.NestedWriter;
import io.despina.packet.Type;

/** Reads values of a field as those of one type: by {@link #build} where that is nested, and else by {@link #read}. */
abstract class ProtoValue {

    static boolean isNested(Type type) {
        return type instanceof Type.Array || type instanceof Type.MapOf || type instanceof Type.Struct;
    }

    /**
     * Reads a value that is not nested.
     *
     * @param at    an occurrence of the field
     * @param chain whether those behind it are parts of the same message, if it is one
     */
    void read(ProtoIndex in, int at, boolean chain, Scalar to) {
        throw new IllegalStateException("a nested value");
    }

    /** Adds a nested value at the end. @param at the first occurrence; -1 for none, of lists and maps alone */
    void build(ProtoIndex in, int at, boolean chain, NestedWriter out) {
        throw new IllegalStateException("no nested value");
    }

    /** How it is read without a look at the rest of the message; null if it cannot be. */
    ProtoWay way() {
        return null;
    }

    /** The name of an enum's value; null if that is none. Of {@link ProtoWay#SYMBOL}. */
    byte[] symbol(int number) {
        throw new IllegalStateException("no enum");
    }

    /** The value of a field that is not there. @return false for NULL */
    boolean absent(Scalar to) {
        return false;
    }
}
