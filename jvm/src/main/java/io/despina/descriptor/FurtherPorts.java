package io.despina.descriptor;

/**
 * Ports that operators of a type have because of their fields.
 *
 * @param outputsOf the field, an object, each key of which is a further output port; null for none. These ports carry the same
 *                  stream as {@code out} of other types, and come before the type's own
 * @param input     an input port that some operators of the type have; null for none
 */
public record FurtherPorts(String outputsOf, FurtherInput input) {
    static final FurtherPorts NONE = new FurtherPorts(null, null);
}
