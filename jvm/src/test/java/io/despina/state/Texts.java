package io.despina.state;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** Texts as values of a table. */
final class Texts implements ValueFormat<String> {
    @Override
    public String schema() {
        return "text";
    }

    @Override
    public void write(String value, DataOutput out) throws IOException {
        out.writeUTF(value);
    }

    @Override
    public String read(DataInput in) throws IOException {
        return in.readUTF();
    }

    @Override
    public long bytes(String value) {
        return value.length();
    }
}
