package io.despina.control.staging;

import io.despina.link.Attempt;

/** An instance of a source, for which rows are staged. */
public record StagePlace(Attempt attempt, String operator, int instance) {
}
