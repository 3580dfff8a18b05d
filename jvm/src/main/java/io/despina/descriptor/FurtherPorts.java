package io.despina.descriptor;

/**
 * Ports that operators of a type have because of their fields.
 *
 * @param outputsOf the field, an object, each key of which is a further output port; null for none. These ports come behind
 *                  {@code out}; where there is none, they carry its stream, and come before the type's own
 * @param input     an input port that some operators of the type have; null for none
 * @param inputsOf  the field, an object of lists, each key of which is a further input port; null for none
 */
public record FurtherPorts(String outputsOf, FurtherInput input, String inputsOf) {
    static final FurtherPorts NONE = new FurtherPorts(null, null, null);
}
