package io.despina.state;

/** The description of a state at the beginning of its section. */
public interface StateDescriptor {

    /** Unique within the operator: the name of its section in a snapshot. */
    String name();

    RestoreRule rule();

    /** What its entries are made of; compared on restore. */
    String schema();
}
