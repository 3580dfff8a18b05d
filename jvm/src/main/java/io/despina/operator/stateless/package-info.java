/** Operators that keep nothing between packets: relay, project, filter, explode, union. */
package io.despina.operator.stateless;
