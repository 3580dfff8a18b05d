package io.despina.expr.catalyst.row;

import io.despina.packet.PacketArray;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.InternalRow$;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.BinaryView;
import org.apache.spark.unsafe.types.CalendarInterval;
import org.apache.spark.unsafe.types.TimestampNanosVal;
import org.apache.spark.unsafe.types.UTF8String;
import org.apache.spark.unsafe.types.VariantVal;

/** An array in a packet as a Spark array, read in place. */
final class ArrayView extends ArrayData {
    private static final long serialVersionUID = 1L;

    private final transient PacketArray array;
    private final transient ValueReader element;

    ArrayView(PacketArray array, ValueReader element) {
        this.array = array;
        this.element = element;
    }

    @Override
    public int numElements() {
        return array.count();
    }

    @Override
    public boolean isNullAt(int k) {
        return array.isNull(k);
    }

    @Override
    public Object get(int k, DataType type) {
        return element.read(array, k);
    }

    @Override
    public Object[] array() {
        Object[] values = new Object[array.count()];
        for (int k = 0; k < values.length; k++) {
            values[k] = element.read(array, k);
        }
        return values;
    }

    /** A copy that outlives the packet. */
    @Override
    public ArrayData copy() {
        Object[] values = array();
        for (int k = 0; k < values.length; k++) {
            values[k] = InternalRow$.MODULE$.copyValue(values[k]);
        }
        return new GenericArrayData(values);
    }

    @Override
    public boolean getBoolean(int k) {
        return array.getBoolean(k);
    }

    @Override
    public byte getByte(int k) {
        return array.getByte(k);
    }

    @Override
    public short getShort(int k) {
        return array.getShort(k);
    }

    @Override
    public int getInt(int k) {
        return array.getInt(k);
    }

    @Override
    public long getLong(int k) {
        return array.getLong(k);
    }

    @Override
    public float getFloat(int k) {
        return array.getFloat(k);
    }

    @Override
    public double getDouble(int k) {
        return array.getDouble(k);
    }

    @Override
    public Decimal getDecimal(int k, int precision, int scale) {
        return (Decimal) element.read(array, k);
    }

    @Override
    public UTF8String getUTF8String(int k) {
        return (UTF8String) element.read(array, k);
    }

    @Override
    public byte[] getBinary(int k) {
        return (byte[]) element.read(array, k);
    }

    @Override
    public BinaryView getBinaryView(int k) {
        byte[] bytes = getBinary(k);
        return bytes == null ? null : BinaryView.fromBytes(bytes);
    }

    @Override
    public InternalRow getStruct(int k, int fields) {
        return (InternalRow) element.read(array, k);
    }

    @Override
    public ArrayData getArray(int k) {
        return (ArrayData) element.read(array, k);
    }

    @Override
    public MapData getMap(int k) {
        return (MapData) element.read(array, k);
    }

    @Override
    public CalendarInterval getInterval(int k) {
        throw PacketRow.notInPackets();
    }

    @Override
    public TimestampNanosVal getTimestampNTZNanos(int k) {
        throw PacketRow.notInPackets();
    }

    @Override
    public TimestampNanosVal getTimestampLTZNanos(int k) {
        throw PacketRow.notInPackets();
    }

    @Override
    public VariantVal getVariant(int k) {
        throw PacketRow.notInPackets();
    }

    @Override
    public void setNullAt(int k) {
        throw PacketRow.readOnly();
    }

    @Override
    public void update(int k, Object value) {
        throw PacketRow.readOnly();
    }
}
