package io.despina.expr.catalyst.row;

import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;

/** A map in a packet as a Spark map, read in place. */
final class MapView extends MapData {
    private static final long serialVersionUID = 1L;

    private final transient ArrayView keys;
    private final transient ArrayView values;

    MapView(ArrayView keys, ArrayView values) {
        this.keys = keys;
        this.values = values;
    }

    @Override
    public int numElements() {
        return keys.numElements();
    }

    @Override
    public ArrayData keyArray() {
        return keys;
    }

    @Override
    public ArrayData valueArray() {
        return values;
    }

    /** A copy that outlives the packet. */
    @Override
    public MapData copy() {
        return new ArrayBasedMapData(keys.copy(), values.copy());
    }
}
