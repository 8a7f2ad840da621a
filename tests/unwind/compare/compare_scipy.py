# SPDX-License-Identifier: Apache-2.0
"""Numerical work through C, C++ and Fortran that calls back into Python: compare_scipy.py ROUNDS"""

import sys

import numpy
import scipy.fft
import scipy.integrate
import scipy.optimize
import scipy.sparse
import scipy.sparse.linalg


def pendulum(time, state):
    return [state[1], -numpy.sin(state[0]) - 0.1 * state[1]]


def sparse_eigenvalues(numbers):
    """ARPACK requests the product, which is a Python function; SuperLU comes next."""
    size = 60
    matrix = scipy.sparse.diags_array([numbers.random(size) + 2, numpy.ones(size - 1),
                                       numpy.ones(size - 1)], offsets=[0, 1, -1]).tocsc()
    product = scipy.sparse.linalg.LinearOperator(matrix.shape, matvec=lambda v: matrix @ v,
                                                 dtype=float)
    scipy.sparse.linalg.eigsh(product, k=3, v0=numbers.random(size))
    scipy.sparse.linalg.splu(matrix).solve(numbers.random(size))


def transforms(numbers):
    signal = numbers.standard_normal((12, 30))
    scipy.fft.irfft2(scipy.fft.rfft2(signal), s=signal.shape)
    scipy.fft.idctn(scipy.fft.dctn(signal))


def optimisation(numbers):
    """MINPACK, L-BFGS and a search for a root, each with a function of Python."""
    start = numbers.random(3)
    scipy.optimize.minimize(scipy.optimize.rosen, start, method="L-BFGS-B", options={"maxiter": 8})
    scipy.optimize.root(lambda x: x**2 + numpy.sin(x) - start, start)
    scipy.optimize.leastsq(lambda x: x - start * numpy.exp(-x), start)
    scipy.optimize.brentq(lambda x: x**3 - start[0] - 1, 0, 2)


def integration(numbers):
    """ODEPACK, DOP853 and QUADPACK, with functions of Python."""
    start = numbers.random(2)
    scipy.integrate.odeint(pendulum, start, numpy.linspace(0, 2, 5), tfirst=True)
    solver = scipy.integrate.ode(pendulum).set_integrator("dop853")
    solver.set_initial_value(start).integrate(1.0)
    scipy.integrate.solve_ivp(pendulum, (0, 1), start, method="LSODA")
    scipy.integrate.quad(lambda x: numpy.cos(x * start[0]), 0, 1)


def main():
    numbers = numpy.random.default_rng(1)
    for _ in range(int(sys.argv[1])):
        sparse_eigenvalues(numbers)
        transforms(numbers)
        optimisation(numbers)
        integration(numbers)


if __name__ == "__main__":
    main()
