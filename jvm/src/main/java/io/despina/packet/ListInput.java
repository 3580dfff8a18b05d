package io.despina.packet;

import java.io.DataInput;
import java.io.IOException;

/** Gives back what a {@link ListOutput} has taken. */
public interface ListInput extends DataInput {

    /** Reads elements of a list, and adds them. */
    @FunctionalInterface
    interface ElementReader {

        /** @param count of elements */
        void read(int count, DataInput in) throws IOException;
    }

    /** A list follows whose first elements are apart: they are read now. */
    void apart(ElementReader elements) throws IOException;

    /**
     * Begins a list.
     *
     * @param elements reads those that are apart, if there are any
     * @return the number with which the elements begin that follow; it is not checked
     */
    static int begin(DataInput in, ElementReader elements) throws IOException {
        int count = in.readInt();
        if (count != ListOutput.APART || !(in instanceof ListInput lists)) {
            return count;
        }
        lists.apart(elements);
        return in.readInt();
    }
}
