package io.despina.control.protocol;

import java.util.List;
import java.util.Map;

/**
 * Who plays what in an attempt of a job.
 *
 * @param as     the resource of the deployment that the receiver is
 * @param moved  by lost resource, the one that plays its part
 * @param placed by operator, where its user has moved it
 */
public record Cast(String as, Map<String, String> moved, Map<String, List<String>> placed) {
}
