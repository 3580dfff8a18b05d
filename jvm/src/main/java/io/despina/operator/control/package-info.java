/** An operator whose packets are commands for the graph that it is part of. */
package io.despina.operator.control;
