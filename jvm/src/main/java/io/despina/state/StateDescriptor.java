package io.despina.state;

/** What a snapshot says of a state before its entries. */
public interface StateDescriptor {

    /** Unique within the operator: the name of its section in a snapshot. */
    String name();

    RestoreRule rule();

    /** What its entries are made of; compared on restore. */
    String schema();
}
