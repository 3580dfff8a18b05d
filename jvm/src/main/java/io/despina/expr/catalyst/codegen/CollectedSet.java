package io.despina.expr.catalyst.codegen;

import java.util.ArrayList;
import java.util.List;
import scala.collection.mutable.HashSet;

/** A set that Spark's {@code collect_set} fills, and its elements in order of arrival, which its own order does not tell. */
public final class CollectedSet {
    private final HashSet<Object> set;
    private final List<Object> arrived = new ArrayList<>();

    /** @param set empty */
    public CollectedSet(HashSet<Object> set) {
        this.set = set;
    }

    public void add(Object element) {
        if (set.add(element)) {
            arrived.add(element);
        }
    }

    /** Spark's own buffer, for reading. */
    public HashSet<Object> set() {
        return set;
    }

    public int size() {
        return arrived.size();
    }

    /** The elements that came from the {@code from}-th on, before the {@code to}-th. */
    public List<Object> arrived(int from, int to) {
        return arrived.subList(from, to);
    }
}
