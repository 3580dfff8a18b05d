package io.despina.expr.catalyst.row;

import io.despina.packet.Packet;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.InternalRow$;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.BinaryView;
import org.apache.spark.unsafe.types.CalendarInterval;
import org.apache.spark.unsafe.types.TimestampNanosVal;
import org.apache.spark.unsafe.types.UTF8String;
import org.apache.spark.unsafe.types.VariantVal;

/** A packet (or a struct within one) as a Spark row, read in place. */
public final class PacketRow extends InternalRow {
    private static final long serialVersionUID = 1L;

    private final transient ValueReader[] types;
    private transient Packet packet;

    PacketRow(Packet packet, ValueReader[] types) {
        this.packet = packet;
        this.types = types;
    }

    public PacketRow on(Packet other) {
        packet = other;
        return this;
    }

    @Override
    public int numFields() {
        return types.length;
    }

    @Override
    public boolean isNullAt(int k) {
        return packet.isNull(k);
    }

    @Override
    public Object get(int k, DataType type) {
        return types[k].read(packet, k);
    }

    @Override
    public boolean getBoolean(int k) {
        return packet.getBoolean(k);
    }

    @Override
    public byte getByte(int k) {
        return packet.getByte(k);
    }

    @Override
    public short getShort(int k) {
        return packet.getShort(k);
    }

    @Override
    public int getInt(int k) {
        return packet.getInt(k);
    }

    @Override
    public long getLong(int k) {
        return packet.getLong(k);
    }

    @Override
    public float getFloat(int k) {
        return packet.getFloat(k);
    }

    @Override
    public double getDouble(int k) {
        return packet.getDouble(k);
    }

    @Override
    public Decimal getDecimal(int k, int precision, int scale) {
        return (Decimal) types[k].read(packet, k);
    }

    @Override
    public UTF8String getUTF8String(int k) {
        return (UTF8String) types[k].read(packet, k);
    }

    @Override
    public byte[] getBinary(int k) {
        return (byte[]) types[k].read(packet, k);
    }

    @Override
    public BinaryView getBinaryView(int k) {
        byte[] bytes = getBinary(k);
        return bytes == null ? null : BinaryView.fromBytes(bytes);
    }

    @Override
    public InternalRow getStruct(int k, int fields) {
        return (InternalRow) types[k].read(packet, k);
    }

    @Override
    public ArrayData getArray(int k) {
        return (ArrayData) types[k].read(packet, k);
    }

    @Override
    public MapData getMap(int k) {
        return (MapData) types[k].read(packet, k);
    }

    @Override
    public CalendarInterval getInterval(int k) {
        throw notInPackets();
    }

    @Override
    public TimestampNanosVal getTimestampNTZNanos(int k) {
        throw notInPackets();
    }

    @Override
    public TimestampNanosVal getTimestampLTZNanos(int k) {
        throw notInPackets();
    }

    @Override
    public VariantVal getVariant(int k) {
        throw notInPackets();
    }

    @Override
    public void setNullAt(int k) {
        throw readOnly();
    }

    @Override
    public void update(int k, Object value) {
        throw readOnly();
    }

    /** A copy that outlives the packet. */
    @Override
    public InternalRow copy() {
        Object[] values = new Object[types.length];
        for (int k = 0; k < values.length; k++) {
            values[k] = InternalRow$.MODULE$.copyValue(types[k].read(packet, k));
        }
        return new GenericInternalRow(values);
    }

    static UnsupportedOperationException notInPackets() {
        return new UnsupportedOperationException("a packet holds no value of this type");
    }

    static UnsupportedOperationException readOnly() {
        return new UnsupportedOperationException("a view of a packet is read-only");
    }
}
