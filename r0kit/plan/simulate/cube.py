"""A product of matrices as a kernel of the graph API, for one tile."""

from __future__ import annotations

from r0kit.plan.contraction import Product
from r0kit.plan.simulate.vector import DTYPES, UnwrittenError
from r0kit.plan.work import Value

Levels = tuple[int, int, int, int, int, int]  # mL0, mL1, kL0, kL1, nL0, nL1


def cube_body(product: Product, tile: Levels) -> list[str]:
    """Lines of the kernel."""
    m0, m1, k0, k1, n0, n1 = tile
    flags = f"a_trans={product.left_swapped}, b_trans={product.right_swapped}"
    extra = ", extend_params={'bias_tensor': bias}" if product.bias else ""
    return [
        f"pypto.set_cube_tile_shapes([{m0}, {m1}], [{k0}, {k1}], [{n0}, {n1}])",
        f"out[:] = pypto.matmul(a, b, pypto.{_out(product)}, {flags}{extra})",
    ]


def cube_arguments(product: Product) -> list[tuple[str, Value]]:
    """Operands as they lie in memory, the bias as (1, N), and the result."""
    if not product.plain:
        raise UnwrittenError("its operands are not matrices as the graph API multiplies them")
    if product.left != product.right or product.left not in DTYPES:
        raise UnwrittenError(f"a product of {product.left} and {product.right}; pypto.matmul takes one dtype for both")
    a = (product.k, product.m) if product.left_swapped else (product.m, product.k)
    b = (product.n, product.k) if product.right_swapped else (product.k, product.n)
    lead = () if product.batch == 1 else (product.batch,)
    found = [("a", Value("a", (), (*lead, *a), product.left)), ("b", Value("b", (), (*lead, *b), product.right))]
    if product.bias:
        dtype = "int32" if product.left.startswith("int") else product.left
        found.append(("bias", Value("bias", (), (1, product.n), dtype)))
    return [*found, ("out", Value("out", (), (*lead, product.m, product.n), _dtype(product)))]


def _dtype(product: Product) -> str:
    return "int32" if product.left.startswith("int") else product.result if product.result in DTYPES else "float32"


def _out(product: Product) -> str:
    return DTYPES[_dtype(product)]
