package io.despina.spec;

/**
 * What an instance of an operator says to a {@link ControlCommand}.
 *
 * @param ok     whether it has done it
 * @param answer in words: what it did, or why not; may be empty
 */
public record ControlAnswer(String operator, int instance, boolean ok, String answer) {
}
