package io.despina.operator.record.value;

/** A record that is none, or a value that its column cannot hold. Nobody asks for its stack. */
public final class BrokenRecord extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public BrokenRecord(String why) {
        super(why, null, false, false);
    }
}
