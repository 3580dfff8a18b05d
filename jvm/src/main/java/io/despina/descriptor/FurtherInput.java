package io.despina.descriptor;

import java.util.function.Predicate;

/**
 * An input port that an operator has only where its fields say so. It comes behind those that all of its type have.
 *
 * @param port its name
 * @param with the fields with which it is there, as the file writes them
 * @param has  whether an operator with these fields has it
 */
public record FurtherInput(String port, String with, Predicate<Values> has) {
}
